package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares what a request brings with what its model declares, in Triton's order and words. All
 * refusals are INVALID_ARGUMENT. Both transports call this, so that both reject the same requests.
 */
public final class OipRequestChecks {
  /** Inputs, or outputs, that a request may name: more than any model has. */
  private static final int MOST_TENSORS = 4096;

  /** Names that a message lists at most. */
  private static final int LISTED = 20;

  private final String model;
  private final int maxBatchSize;
  private final Signature signature;
  private final List<InputHead> inputs;

  private OipRequestChecks(ModelLease model, Signature signature, List<InputHead> inputs) {
    this.model = model.id().name();
    this.maxBatchSize = model.metadata().maxBatchSize();
    this.signature = signature;
    this.inputs = inputs;
  }

  /**
   * Checks names, counts, types and shapes. The size of the data is checked where it is read.
   *
   * @param outputs the names of the outputs asked for; empty for all
   * @throws InferenceException with INVALID_ARGUMENT
   */
  public static void check(
      ModelLease model, Signature signature, List<InputHead> inputs, List<String> outputs) {
    var checks = new OipRequestChecks(model, signature, inputs);
    checks.eachInputOnce();
    checks.outputs(outputs);
    checks.inputNames();
    checks.batch();
    checks.typesAndShapes();
  }

  /**
   * Checks, while a request is still being read, that one more input or output may be kept.
   *
   * @param tensors how many there are already
   * @throws InferenceException with INVALID_ARGUMENT if that is the limit
   */
  public static void requireCapacity(int tensors) {
    if (tensors == MOST_TENSORS) {
      throw refuse("the request names more than " + MOST_TENSORS + " inputs or outputs");
    }
  }

  private void eachInputOnce() {
    if (inputs.size() < 2) {
      return;
    }
    Set<String> seen = HashSet.newHashSet(inputs.size());
    for (InputHead input : inputs) {
      if (!seen.add(input.name())) {
        throw refuse("input '" + Excerpt.of(input.name()) + "' already exists in request");
      }
    }
  }

  private static void eachOutputOnce(List<String> outputs) {
    if (outputs.size() < 2) {
      return;
    }
    Set<String> seen = HashSet.newHashSet(outputs.size());
    for (String output : outputs) {
      if (!seen.add(output)) {
        throw refuse("output '" + Excerpt.of(output) + "' already exists in request");
      }
    }
  }

  private void outputs(List<String> outputs) {
    eachOutputOnce(outputs);
    for (String output : outputs) {
      if (signature.output(output).isEmpty()) {
        throw refuse(
            "unexpected inference output '"
                + Excerpt.of(output)
                + "'"
                + forModel()
                + ". It has "
                + names(signature.outputs()));
      }
    }
  }

  private void inputNames() {
    int most = signature.inputs().size();
    int least = requiredInputs();
    if (inputs.size() < least || inputs.size() > most) {
      throw incomplete(least, most);
    }
    for (InputHead input : inputs) {
      if (signature.input(input.name()).isEmpty()) {
        throw refuse(
            "unexpected inference input '"
                + Excerpt.of(input.name())
                + "'"
                + forModel()
                + ". It has "
                + names(signature.inputs()));
      }
    }
    if (!missingInputs().isEmpty()) {
      throw incomplete(least, most);
    }
  }

  private int requiredInputs() {
    int required = 0;
    for (TensorSpec input : signature.inputs()) {
      required += input.optional() ? 0 : 1;
    }
    return required;
  }

  private List<String> missingInputs() {
    List<String> missing = new ArrayList<>();
    for (TensorSpec declared : signature.inputs()) {
      if (!declared.optional() && !brings(declared.name())) {
        missing.add(declared.name());
      }
    }
    return missing;
  }

  private boolean brings(String name) {
    for (InputHead input : inputs) {
      if (input.name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  private InferenceException incomplete(int least, int most) {
    String expected = least == most ? "expected " + most + " inputs" : between(least, most);
    String got = list(inputs.stream().limit(LISTED + 1L).map(InputHead::name).toList());
    return refuse(
        expected
            + " but got "
            + inputs.size()
            + " inputs"
            + forModel()
            + ". Got input(s) "
            + got
            + ", but missing required input(s) "
            + list(missingInputs())
            + ". Please provide all required input(s).");
  }

  private static String between(int least, int most) {
    return "expected number of inputs between " + least + " and " + most;
  }

  private static String names(List<TensorSpec> tensors) {
    return list(tensors.stream().limit(LISTED + 1L).map(TensorSpec::name).toList());
  }

  private static String list(List<String> names) {
    String listed =
        names.stream()
            .limit(LISTED)
            .map(name -> "'" + Excerpt.of(name) + "'")
            .collect(Collectors.joining(",", "[", ""));
    return listed + (names.size() > LISTED ? ",...]" : "]");
  }

  /** A negative batch size is that of no input yet. */
  private void requireSameBatch(InputHead input, long batch) {
    Shape shape = input.shape();
    if (shape.rank() == 0) {
      throw refuse(
          "input '"
              + input.name()
              + "' has no shape but model requires batch dimension for '"
              + model
              + "'");
    }
    if (batch >= 0 && shape.dim(0) != batch) {
      throw refuse(
          "input '"
              + input.name()
              + "' batch size does not match other inputs for '"
              + model
              + "': got "
              + shape.dim(0)
              + ", the inputs before it have "
              + batch);
    }
  }

  private void batch() {
    if (maxBatchSize == 0) {
      return;
    }
    long batch = -1;
    for (InputHead input : inputs) {
      requireSameBatch(input, batch);
      batch = input.shape().dim(0);
    }
    // A missing batch dimension would read as a wrong batch size. What is really wrong helps more.
    inputs.forEach(this::rank);
    if (batch > maxBatchSize) {
      throw refuse(
          "inference request batch-size must be <= "
              + maxBatchSize
              + " for '"
              + model
              + "', got "
              + batch);
    }
  }

  private void rank(InputHead input) {
    Shape declared = declared(input).shape();
    if (declared.isRankKnown() && declared.rank() != input.shape().rank()) {
      throw wrongShape(input, declared);
    }
  }

  private void typesAndShapes() {
    for (InputHead input : inputs) {
      TensorSpec declared = declared(input);
      if (input.type() != declared.type()) {
        throw refuse(
            "inference input '"
                + input.name()
                + "' data-type is '"
                + input.type()
                + "', but model '"
                + model
                + "' expects '"
                + DataTypes.name(declared)
                + "'");
      }
      if (!declared.shape().accepts(input.shape())) {
        throw wrongShape(input, declared.shape());
      }
    }
  }

  private TensorSpec declared(InputHead input) {
    return signature.input(input.name()).orElseThrow();
  }

  private InferenceException wrongShape(InputHead input, Shape expected) {
    String note =
        maxBatchSize == 0
            ? ""
            : " NOTE: Setting a non-zero max_batch_size in a model's settings makes the first"
                + " dimension of every input the batch: it has to be in the request's shapes.";
    return refuse(
        "unexpected shape for input '"
            + input.name()
            + "'"
            + forModel()
            + ". Expected "
            + expected
            + ", got "
            + Excerpt.of(input.shape())
            + "."
            + note);
  }

  private String forModel() {
    return " for model '" + model + "'";
  }

  private static InferenceException refuse(String message) {
    return InferenceException.invalid(message);
  }
}
