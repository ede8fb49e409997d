package dev.sluice.serving.ragged;

import com.google.errorprone.annotations.FormatMethod;
import dev.sluice.config.model.ragged.RaggedConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.batching.MadeInput;
import dev.sluice.scheduling.batching.PaddedRows;
import dev.sluice.tensor.ElementValue;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Holds a model's {@code ragged} settings against its own tensors: settings of another model are
 * refused when it is loaded, not at each request.
 */
record RaggedTensors(ModelId id, RaggedConfig config, Signature signature) {
  private static final int MASK_RANK = 2;

  /**
   * Returns how the model's rows run together.
   *
   * @throws InferenceException with FAILED_PRECONDITION, naming the tensor, if it is not the
   *     model's, or its length is no open dimension
   */
  PaddedRows rows() {
    Map<String, Integer> axes = new LinkedHashMap<>();
    Map<String, ElementValue> padding = new LinkedHashMap<>();
    for (RaggedConfig.Input input : config.inputs()) {
      axes.put(input.name(), input.axis());
      padding.put(input.name(), padding(input));
    }
    List<MadeInput> made = new ArrayList<>();
    config
        .mask()
        .ifPresent(mask -> {
          made.add(new MadeInput(made(mask, MASK_RANK), true));
          axes.put(mask, 1);
        });
    config.lengths().ifPresent(lengths -> made.add(new MadeInput(made(lengths, 1), false)));
    Map<String, Integer> outputs = new LinkedHashMap<>();
    config.outputs().forEach(output -> outputs.put(output.name(), axis(output)));
    return new PaddedRows(signature.name(), axes, padding, made, outputs, config.limits());
  }

  private ElementValue padding(RaggedConfig.Input input) {
    TensorSpec spec = input(input.name());
    requireOpen("input", spec, input.axis());
    if (!spec.type().isFixedSize()) {
      throw refused("input '%s' is of %s, which cannot be padded", spec.name(), spec.type());
    }
    return ElementValue.of(spec.type(), input.pad())
        .orElseThrow(() ->
            refused("pad %s is no %s, which input '%s' is", input.pad(), spec.type(), spec.name()));
  }

  private TensorSpec made(String name, int rank) {
    TensorSpec spec = input(name);
    boolean fits =
        spec.shape().isRankKnown() && spec.shape().rank() == rank && isOpen(spec.shape());
    if (!fits || ElementValue.of(spec.type(), 1).isEmpty()) {
      throw refused(
          "input '%s' is %s of shape %s; wanted numbers of %d dimensions that are open",
          name, spec.type(), spec.shape(), rank);
    }
    return spec;
  }

  private static boolean isOpen(Shape shape) {
    for (long dim : shape.dims()) {
      if (dim != Shape.ANY) {
        return false;
      }
    }
    return true;
  }

  private int axis(RaggedConfig.Output output) {
    TensorSpec spec =
        signature
            .output(output.name())
            .orElseThrow(() -> refused("the model has no output '%s'", output.name()));
    if (spec.shape().isRankKnown()) {
      requireOpen("output", spec, output.axis());
    }
    if (!spec.type().isFixedSize()) {
      throw refused("output '%s' is of %s, which cannot be cut", spec.name(), spec.type());
    }
    return output.axis();
  }

  private TensorSpec input(String name) {
    return signature.input(name).orElseThrow(() -> refused("the model has no input '%s'", name));
  }

  private void requireOpen(String kind, TensorSpec spec, int axis) {
    Shape shape = spec.shape();
    if (!shape.isRankKnown() || axis >= shape.rank() || shape.dim(axis) != Shape.ANY) {
      throw refused(
          "%s '%s' has the shape %s; wanted one whose dimension %d is open",
          kind, spec.name(), shape, axis);
    }
  }

  @FormatMethod
  private InferenceException refused(String why, Object... values) {
    return new InferenceException(
        ErrorCode.FAILED_PRECONDITION,
        "model %s: its settings under ragged: %s".formatted(id, why.formatted(values)));
  }

  /** Returns the signature as clients see it: they may leave out what the server makes. */
  Optional<Signature> shown() {
    List<String> made =
        List.of(config.mask(), config.lengths()).stream().flatMap(Optional::stream).toList();
    return made.isEmpty()
        ? Optional.empty()
        : Optional.of(
            signature.withTensors(
                signature.inputs().stream()
                    .map(spec -> made.contains(spec.name()) ? spec.asOptional() : spec)
                    .toList(),
                signature.outputs()));
  }
}
