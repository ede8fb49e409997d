package dev.sluice.serving.ragged;

import com.google.errorprone.annotations.FormatMethod;
import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.compat.triton.proto.ModelInput;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.batching.FlatRows;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.List;

/**
 * Holds what a Triton configuration says of ragged inputs against the model's own tensors: a
 * configuration of another model is refused when it is loaded, not at each request.
 *
 * @param called the model's own signature
 */
record FlatTensors(ModelId id, ModelConfig declared, FlatRows rows, Signature called) {
  private static final Shape ONE_DIMENSION = Shape.of(Shape.ANY);

  /**
   * Returns the signature as clients see it: without what the server makes, and with the rows that
   * the configuration declares.
   *
   * @throws InferenceException with FAILED_PRECONDITION, naming the tensor, if a tensor is not the
   *     model's, or not as the configuration wants it
   */
  Signature shown() {
    rows.counts()
        .forEach((name, count) -> {
          TensorSpec spec = input("batch_input", name);
          if (spec.type() != count.type()) {
            throw refused(
                "batch_input '%s' is declared as %s, the model has %s",
                name, count.type(), spec.type());
          }
          requireSource("batch_input", name, count.source());
        });
    rows.scattered()
        .forEach((name, scatter) -> {
          if (called.output(name).isEmpty()) {
            throw refused("batch_output names '%s', which is no output of the model", name);
          }
          requireSource("batch_output", name, scatter.source());
        });
    return called.withTensors(inputs(), outputs());
  }

  private TensorSpec input(String field, String name) {
    return called
        .input(name)
        .orElseThrow(() -> refused("%s names '%s', which is no input of the model", field, name));
  }

  private void requireSource(String field, String name, String source) {
    input(field, source);
    if (rows.counts().containsKey(source)) {
      throw refused(
          "%s '%s' is made of '%s'; wanted an input that requests have", field, name, source);
    }
  }

  private List<TensorSpec> inputs() {
    declared.getInputList().stream()
        .filter(ModelInput::getAllowRaggedBatch)
        .forEach(input -> requireFlat(input("input", input.getName())));
    return called.inputs().stream()
        .filter(spec -> !rows.counts().containsKey(spec.name()))
        .map(spec -> rows.ragged().contains(spec.name()) ? spec.withShape(shape(spec)) : spec)
        .toList();
  }

  private void requireFlat(TensorSpec spec) {
    if (!spec.shape().accepts(ONE_DIMENSION) && !ONE_DIMENSION.equals(spec.shape())) {
      throw refused(
          "input '%s' has allow_ragged_batch, and the model has it with shape %s; wanted %s, the"
              + " elements of all requests",
          spec.name(), spec.shape(), ONE_DIMENSION);
    }
  }

  private Shape shape(TensorSpec spec) {
    List<Long> dims =
        declared.getInputList().stream()
            .filter(input -> input.getName().equals(spec.name()))
            .findFirst()
            .orElseThrow()
            .getDimsList();
    Shape item = Shape.of(dims.stream().mapToLong(dim -> dim).toArray());
    return declared.getMaxBatchSize() > 0 ? item.prepend(Shape.ANY) : item;
  }

  private List<TensorSpec> outputs() {
    return called.outputs().stream()
        .map(spec ->
            rows.scattered().containsKey(spec.name())
                ? spec.withShape(rows.scattered().get(spec.name()).shape())
                : spec)
        .toList();
  }

  @FormatMethod
  private InferenceException refused(String why, Object... values) {
    return FlatSession.refused(id, why.formatted(values));
  }
}
