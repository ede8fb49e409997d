package dev.sluice.config.compat.triton;

import dev.sluice.config.compat.triton.proto.ModelConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * The {@code input} and {@code output} of a Triton configuration.
 *
 * <p>Dimensions of {@code dims} leave the batch out, as in Triton; {@code reshape} is what the
 * model itself sees.
 */
record TritonTensor(TritonFields fields, ModelConfig model) {
  private static final String TYPE_PREFIX = "TYPE_";

  List<Declaration> inputs() {
    return model.getInputList().stream()
        .map(input ->
            read(input.getName(), input.getDataType(), input.getDimsList(), input.getOptional()))
        .toList();
  }

  List<Declaration> outputs() {
    return model.getOutputList().stream()
        .map(output -> read(output.getName(), output.getDataType(), output.getDimsList(), false))
        .toList();
  }

  /** With a batch dimension in front, if the model has one: Triton's dims leave it out. */
  private Declaration read(
      String name,
      dev.sluice.config.compat.triton.proto.DataType type,
      List<Long> dims,
      boolean optional) {
    if (name.isEmpty()) {
      throw fields.error("input", "without a name", "one");
    }
    Shape item = Shape.of(fields.dims("dims", dims).stream().mapToLong(Long::longValue).toArray());
    return new Declaration(
        name,
        type(type),
        TritonScheduling.largest(fields, model) > 0 ? item.prepend(Shape.ANY) : item,
        optional);
  }

  /** Returns a type's name here; empty for one that is not said. */
  static Optional<DataType> type(dev.sluice.config.compat.triton.proto.DataType type) {
    return switch (type) {
      case TYPE_STRING -> Optional.of(DataType.BYTES);
      case TYPE_INVALID, UNRECOGNIZED -> Optional.empty();
      default -> Optional.of(DataType.valueOf(type.name().substring(TYPE_PREFIX.length())));
    };
  }
}
