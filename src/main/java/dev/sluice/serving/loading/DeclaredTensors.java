package dev.sluice.serving.loading;

import dev.sluice.config.compat.triton.proto.DataType;
import dev.sluice.config.compat.triton.proto.ModelInput;
import dev.sluice.config.compat.triton.proto.ModelOutput;
import dev.sluice.config.compat.triton.proto.ModelTensorReshape;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.Reshape;
import dev.sluice.runtime.ReshapedSession;
import dev.sluice.serving.TritonConfiguration;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Compares the inputs and outputs that a Triton configuration declares with the model's own: a
 * configuration that belongs to another model is refused when it is loaded, not at each request.
 */
record DeclaredTensors(ModelId id, ModelConfig config) {
  /**
   * Returns the session with the shapes that are declared; the session itself if they are the
   * model's own. It stays the caller's if it is refused.
   *
   * @throws InferenceException with FAILED_PRECONDITION, naming the tensor, if a declared tensor is
   *     not the model's, of another type, or of a shape that does not fit
   */
  ModelSession applyTo(ModelSession session) {
    Signature signature = session.metadata().signatures().get(Signature.DEFAULT);
    if (signature == null || areOfLoop()) {
      return session;
    }
    List<Declared> declaredInputs =
        config.declared().getInputList().stream().map(Declared::of).toList();
    List<Declared> declaredOutputs =
        config.declared().getOutputList().stream().map(Declared::of).toList();
    Map<String, Reshape> inputs =
        reshapes("input", declaredInputs, signature.inputs(), signature::input);
    Map<String, Reshape> outputs =
        reshapes("output", declaredOutputs, signature.outputs(), signature::output);
    return inputs.isEmpty() && outputs.isEmpty()
        ? session
        : new ReshapedSession(session, inputs, outputs);
  }

  /** Returns whether the tensors are those of a generator, as its configuration shows them. */
  private boolean areOfLoop() {
    return config.stream()
        .textInput()
        .map(name -> config.declaresInputIn(name::equals))
        .orElse(config.stream().generator().isPresent());
  }

  /** By name, the tensors whose declared shape is another than the model's. */
  private Map<String, Reshape> reshapes(
      String kind,
      List<Declared> declared,
      List<TensorSpec> all,
      Function<String, Optional<TensorSpec>> find) {
    Map<String, Reshape> reshapes = new LinkedHashMap<>();
    for (Declared tensor : declared) {
      TensorSpec spec =
          find.apply(tensor.name)
              .orElseThrow(() ->
                  refused(
                      "unexpected inference %s '%s', allowed %ss are: %s"
                          .formatted(
                              kind,
                              tensor.name,
                              kind,
                              String.join(", ", all.stream().map(TensorSpec::name).toList()))));
      Reshape reshape = reshape(kind, tensor, spec);
      if (!reshape.declared().equals(spec.shape())) {
        reshapes.put(tensor.name, reshape);
      }
    }
    return reshapes;
  }

  private Reshape reshape(String kind, Declared declared, TensorSpec spec) {
    DataType type = TritonConfiguration.type(spec.type());
    if (type != declared.type) {
      throw refused(
          "%s '%s' is declared as %s, the model has %s"
              .formatted(kind, spec.name(), declared.type, type));
    }
    Shape dims = countable(kind, "dims", batched(declared.dims), spec);
    if (declared.reshape.isPresent()) {
      Shape inside =
          countable(kind, "reshape", batched(declared.reshape.get().getShapeList()), spec);
      requireFits(kind, inside, spec);
      return new Reshape(dims, inside).require(spec.name());
    }
    requireFits(kind, dims, spec);
    Shape shape = narrowed(dims, spec.shape());
    return new Reshape(shape, shape);
  }

  /** Returns the shape itself, if a tensor of it can exist; each open dimension is at least 1. */
  private Shape countable(String kind, String what, Shape shape, TensorSpec spec) {
    try {
      long bytes = Math.max(1, spec.type().byteSize());
      for (long dim : shape.dims()) {
        bytes = Math.multiplyExact(bytes, Math.max(1, dim));
      }
      return shape;
    } catch (ArithmeticException e) {
      throw refused(
          "%s '%s' has %s %s, which are more bytes of %s than can be counted"
              .formatted(kind, spec.name(), what, shape, TritonConfiguration.type(spec.type())));
    }
  }

  private Shape batched(List<Long> dims) {
    Shape item = Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
    return config.batching().maxBatchSize() > 0 ? item.prepend(Shape.ANY) : item;
  }

  private void requireFits(String kind, Shape shape, TensorSpec spec) {
    if (!mayFit(shape, spec.shape())) {
      throw refused(
          "%s '%s' is declared with shape %s, the model has %s"
              .formatted(kind, spec.name(), shape, spec.shape()));
    }
  }

  /** Returns the sizes that are declared, and where they are open, the model's. */
  private static Shape narrowed(Shape declared, Shape model) {
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length && model.isRankKnown(); i++) {
      dims[i] = dims[i] == Shape.ANY ? model.dim(i) : dims[i];
    }
    return Shape.of(dims);
  }

  private static boolean mayFit(Shape one, Shape other) {
    if (!other.isRankKnown()) {
      return true;
    }
    boolean fits = one.rank() == other.rank();
    for (int i = 0; fits && i < one.rank(); i++) {
      boolean open = one.dim(i) == Shape.ANY || other.dim(i) == Shape.ANY;
      fits = open || one.dim(i) == other.dim(i);
    }
    return fits;
  }

  private InferenceException refused(String why) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, "model " + id + ": " + why);
  }

  /** A tensor of the configuration, in or out. */
  private record Declared(
      String name, DataType type, List<Long> dims, Optional<ModelTensorReshape> reshape) {
    static Declared of(ModelInput input) {
      return new Declared(
          input.getName(),
          input.getDataType(),
          input.getDimsList(),
          input.hasReshape() ? Optional.of(input.getReshape()) : Optional.empty());
    }

    static Declared of(ModelOutput output) {
      return new Declared(
          output.getName(),
          output.getDataType(),
          output.getDimsList(),
          output.hasReshape() ? Optional.of(output.getReshape()) : Optional.empty());
    }
  }
}
