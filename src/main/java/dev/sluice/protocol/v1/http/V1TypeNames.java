package dev.sluice.protocol.v1.http;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.Locale;

/**
 * TensorFlow's names of the element types: {@code float}, {@code half}, {@code string}; of JSON's.
 */
public final class V1TypeNames {
  private static final String NATIVE_PREFIX = "DT_";

  private V1TypeNames() {}

  /**
   * Returns the name of what a model declares, from the model's own format if it is TensorFlow's.
   */
  public static String of(TensorSpec spec) {
    if (isTensorflow(spec)) {
      return spec.nativeType().substring(NATIVE_PREFIX.length()).toLowerCase(Locale.ROOT);
    }
    return spec.type() == DataType.UNSUPPORTED
        ? spec.nativeType().toLowerCase(Locale.ROOT)
        : of(spec.type());
  }

  /** Returns whether the model's own format is TensorFlow's. */
  public static boolean isTensorflow(TensorSpec spec) {
    return spec.nativeType().startsWith(NATIVE_PREFIX);
  }

  private static String of(DataType type) {
    return switch (type) {
      case FP16 -> "half";
      case BF16 -> "bfloat16";
      case FP32 -> "float";
      case FP64 -> "double";
      case BYTES -> "string";
      default -> type.name().toLowerCase(Locale.ROOT);
    };
  }

  /** Returns the name of a kind of JSON value, for error texts. */
  public static String of(Kind kind) {
    return switch (kind) {
      case OBJECT -> "Object";
      case ARRAY -> "Array";
      case STRING -> "String";
      case NUMBER -> "Number";
      case TRUE -> "True";
      case FALSE -> "False";
      case NULL -> "Null";
    };
  }
}
