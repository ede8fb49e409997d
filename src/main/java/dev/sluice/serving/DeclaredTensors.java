package dev.sluice.serving;

import dev.sluice.config.ModelConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
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
   * Requires that every declared tensor is the model's, of its type and of a shape that fits.
   *
   * @throws InferenceException with FAILED_PRECONDITION, naming the tensor
   */
  void require(ModelMetadata model) {
    Signature signature = model.signatures().get(Signature.DEFAULT);
    if (signature != null) {
      require("input", signature.inputs(), signature::input);
      require("output", signature.outputs(), signature::output);
    }
  }

  private void require(
      String kind, List<TensorSpec> all, Function<String, Optional<TensorSpec>> find) {
    if (config.declared().get(kind) instanceof List<?> declared) {
      for (Object item : declared) {
        Map<?, ?> tensor = (Map<?, ?>) item;
        String name = String.valueOf(tensor.get("name"));
        TensorSpec spec =
            find.apply(name)
                .orElseThrow(() ->
                    refused(
                        "unexpected inference %s '%s', allowed %ss are: %s"
                            .formatted(
                                kind,
                                name,
                                kind,
                                String.join(", ", all.stream().map(TensorSpec::name).toList()))));
        requireFits(kind, tensor, spec);
      }
    }
  }

  private void requireFits(String kind, Map<?, ?> declared, TensorSpec spec) {
    String type = Configuration.word(spec.type());
    if (!type.equals(declared.get("data_type"))) {
      throw refused(
          "%s '%s' is declared as %s, the model has %s"
              .formatted(kind, spec.name(), declared.get("data_type"), type));
    }
    Shape shape = declaredShape(declared);
    if (!declared.containsKey("reshape") && !mayFit(shape, spec.shape())) {
      throw refused(
          "%s '%s' is declared with shape %s, the model has %s"
              .formatted(kind, spec.name(), shape, spec.shape()));
    }
  }

  private Shape declaredShape(Map<?, ?> declared) {
    Shape item = Shape.of(DeclaredWarmUp.dims(declared));
    return config.batching().maxBatchSize() > 0 ? item.prepend(Shape.ANY) : item;
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
}
