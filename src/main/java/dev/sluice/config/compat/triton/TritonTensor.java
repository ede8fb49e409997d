package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * An {@code input} or {@code output} of a Triton {@code config.pbtxt}.
 *
 * <p>Dimensions of {@code dims} leave the batch out, as in Triton; {@code reshape} is what the
 * model itself sees.
 */
final class TritonTensor {
  private static final String TYPE_PREFIX = "TYPE_";

  private TritonTensor() {}

  /** With a batch dimension in front, if the model has one: Triton's dims leave it out. */
  static Declaration read(ProtoFields model, ProtoFields tensor) {
    String name =
        tensor.text("name").orElseThrow(() -> model.error("input", "without a name", "one"));
    Shape item = shape(tensor.numbers("dims", -1, Long.MAX_VALUE));
    boolean batched = model.number("max_batch_size", BatchingConfig.LARGEST_BATCH).orElse(0) > 0;
    return new Declaration(
        name,
        tensor.text("data_type").map(type -> type(tensor, name, type)),
        batched ? item.prepend(Shape.ANY) : item,
        tensor.flag("optional").orElse(false));
  }

  private static Shape shape(List<Long> dims) {
    return Shape.of(dims.stream().mapToLong(Long::longValue).toArray());
  }

  private static DataType type(ProtoFields tensor, String name, String type) {
    return byName(type)
        .orElseThrow(
            () -> tensor.error("data_type of '" + name + "'", type, "one such as TYPE_FP32"));
  }

  private static Optional<DataType> byName(String type) {
    if (type.equals("TYPE_STRING")) {
      return Optional.of(DataType.BYTES);
    }
    for (DataType known : DataType.values()) {
      if (known.isFixedSize() && known.isCommon() && type.equals(TYPE_PREFIX + known.name())) {
        return Optional.of(known);
      }
    }
    return Optional.empty();
  }
}
