package dev.sluice.protocol.v1;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.Locale;

/** TensorFlow's names of the element types. */
public final class TensorflowTypeNames {
  private static final String PREFIX = "DT_";

  private TensorflowTypeNames() {}

  /** Returns the name of a type in TensorFlow's texts: {@code float}. */
  public static String of(DataType type) {
    return switch (type) {
      case FP16 -> "half";
      case BF16 -> "bfloat16";
      case FP32 -> "float";
      case FP64 -> "double";
      case BYTES -> "string";
      default -> type.name().toLowerCase(Locale.ROOT);
    };
  }

  /**
   * Returns the name of what a model declares, from the model's own format if it is TensorFlow's.
   */
  public static String of(TensorSpec spec) {
    if (isTensorflow(spec)) {
      return spec.nativeType().substring(PREFIX.length()).toLowerCase(Locale.ROOT);
    }
    return spec.type() == DataType.UNSUPPORTED
        ? spec.nativeType().toLowerCase(Locale.ROOT)
        : of(spec.type());
  }

  /** Returns whether the model's own format is TensorFlow's. */
  public static boolean isTensorflow(TensorSpec spec) {
    return spec.nativeType().startsWith(PREFIX);
  }

  /** Returns the constant of a type in TensorFlow's messages: {@code DT_FLOAT}. */
  public static String constant(DataType type) {
    return PREFIX + of(type).toUpperCase(Locale.ROOT);
  }
}
