package dev.sluice.inference;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One way to call a model: named inputs to named outputs. An ONNX model has one, a SavedModel as
 * many as it was exported with.
 *
 * @param name its key, {@code serving_default} unless the model says otherwise
 * @param method TensorFlow's method name, such as {@code tensorflow/serving/predict}; may be empty
 * @param inputs in the order the model declares them
 * @param outputs in the order the model declares them
 * @param defaults what inputs are that a request leaves out, by name, where the model's own format
 *     says so in its own words: serialized TensorProtos of a SavedModel. Read-only; read a
 *     duplicate
 * @param compositeInputs inputs that are several of {@code inputs}, by the name that the model has
 *     for them together
 * @param compositeOutputs likewise
 */
public record Signature(
    String name,
    String method,
    List<TensorSpec> inputs,
    List<TensorSpec> outputs,
    Map<String, ByteBuffer> defaults,
    Map<String, CompositeTensor> compositeInputs,
    Map<String, CompositeTensor> compositeOutputs) {
  /** The key that is meant when a request names none. */
  public static final String DEFAULT = "serving_default";

  public Signature {
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
    defaults = Map.copyOf(defaults);
    compositeInputs = Map.copyOf(compositeInputs);
    compositeOutputs = Map.copyOf(compositeOutputs);
  }

  /** A signature whose inputs and outputs are one tensor each. */
  public Signature(
      String name,
      String method,
      List<TensorSpec> inputs,
      List<TensorSpec> outputs,
      Map<String, ByteBuffer> defaults) {
    this(name, method, inputs, outputs, defaults, Map.of(), Map.of());
  }

  /** A signature whose format has no values for what a request leaves out. */
  public Signature(String name, String method, List<TensorSpec> inputs, List<TensorSpec> outputs) {
    this(name, method, inputs, outputs, Map.of());
  }

  /**
   * Several signatures of a model over the same inputs as one, for one run. Each output is there
   * once, under the name that the model's own format has for it.
   *
   * @param parts at least one; each with the inputs of the first
   */
  public static Signature joint(List<Signature> parts) {
    Map<String, TensorSpec> outputs = new LinkedHashMap<>();
    for (Signature part : parts) {
      for (TensorSpec output : part.outputs()) {
        outputs.put(output.nativeName(), output.renamed(output.nativeName()));
      }
    }
    Signature first = parts.getFirst();
    String names = parts.stream().map(Signature::name).collect(Collectors.joining("+"));
    return new Signature(names, first.method, first.inputs, List.copyOf(outputs.values()));
  }

  /** Returns the same signature with tensors that are declared otherwise. */
  public Signature withTensors(List<TensorSpec> otherInputs, List<TensorSpec> otherOutputs) {
    return new Signature(
        name, method, otherInputs, otherOutputs, defaults, compositeInputs, compositeOutputs);
  }

  /** Returns the input of this name; empty if the signature has none. */
  public Optional<TensorSpec> input(String wanted) {
    return find(inputs, wanted);
  }

  /** Returns the output of this name; empty if the signature has none. */
  public Optional<TensorSpec> output(String wanted) {
    return find(outputs, wanted);
  }

  /**
   * Returns the outputs that those get who name none: all that a protocol here can carry, but for
   * optional ones.
   */
  public List<TensorSpec> supportedOutputs() {
    for (int i = 0; i < outputs.size(); i++) {
      if (!isUsual(outputs.get(i))) {
        return outputs.stream().filter(Signature::isUsual).toList();
      }
    }
    return outputs;
  }

  private static boolean isUsual(TensorSpec output) {
    return output.type() != DataType.UNSUPPORTED && !output.optional();
  }

  /**
   * Returns the outputs to compute for a protocol that carries the common types alone.
   *
   * @param wanted names of outputs; empty for all
   * @return the same; or the names of the common ones, if all are wanted and only some are common
   * @throws InferenceException with INVALID_ARGUMENT if none is left, or one that was named is not
   *     common
   */
  public List<String> commonOutputs(List<String> wanted) {
    List<TensorSpec> all = supportedOutputs();
    for (int i = 0; i < all.size(); i++) {
      TensorSpec output = all.get(i);
      boolean asked = wanted.isEmpty() || wanted.contains(output.name());
      if (asked && !output.type().isCommon()) {
        return commonOutputs(wanted, output);
      }
    }
    return wanted;
  }

  private List<String> commonOutputs(List<String> wanted, TensorSpec other) {
    List<String> common =
        outputs.stream().filter(spec -> spec.type().isCommon()).map(TensorSpec::name).toList();
    if (!wanted.isEmpty() || common.isEmpty()) {
      throw InferenceException.invalid(
          "output '%s' is of type %s, which TensorFlow Serving's gRPC carries and nothing else"
              .formatted(other.name(), other.nativeType()));
    }
    return common;
  }

  private static Optional<TensorSpec> find(List<TensorSpec> specs, String wanted) {
    for (TensorSpec spec : specs) {
      if (spec.name().equals(wanted)) {
        return Optional.of(spec);
      }
    }
    return Optional.empty();
  }
}
