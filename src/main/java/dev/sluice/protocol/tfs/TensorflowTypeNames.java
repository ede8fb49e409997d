package dev.sluice.protocol.tfs;

import dev.sluice.tensor.DataType;
import java.util.Locale;

/** TensorFlow's names of the element types. */
public final class TensorflowTypeNames {
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

  /** Returns the constant of a type in TensorFlow's messages: {@code DT_FLOAT}. */
  static String constant(DataType type) {
    return "DT_" + of(type).toUpperCase(Locale.ROOT);
  }
}
