package dev.sluice.runtime.tensorflow;

import dev.sluice.tensor.DataType;

/** Element types by TensorFlow's numbers and names. */
final class TfTypes {
  static final int STRING = 7;

  /** A reference to a variable's value is its type's number and this. */
  private static final int REFERENCE = 100;

  private static final String[] NAMES = {
    "INVALID",
    "FLOAT",
    "DOUBLE",
    "INT32",
    "UINT8",
    "INT16",
    "INT8",
    "STRING",
    "COMPLEX64",
    "INT64",
    "BOOL",
    "QINT8",
    "QUINT8",
    "QINT32",
    "BFLOAT16",
    "QINT16",
    "QUINT16",
    "UINT16",
    "COMPLEX128",
    "HALF",
    "RESOURCE",
    "VARIANT",
    "UINT32",
    "UINT64",
    "FLOAT8_E5M2",
    "FLOAT8_E4M3FN",
    "FLOAT8_E4M3FNUZ",
    "FLOAT8_E4M3B11FNUZ",
    "FLOAT8_E5M2FNUZ",
    "INT4",
    "UINT4",
    "INT2",
    "UINT2",
    "FLOAT4_E2M1FN"
  };

  private TfTypes() {}

  static int number(DataType type) {
    return switch (type) {
      case FP32 -> 1;
      case FP64 -> 2;
      case INT32 -> 3;
      case UINT8 -> 4;
      case INT16 -> 5;
      case INT8 -> 6;
      case BYTES -> STRING;
      case COMPLEX64 -> 8;
      case INT64 -> 9;
      case BOOL -> 10;
      case QINT8 -> 11;
      case QUINT8 -> 12;
      case QINT32 -> 13;
      case BF16 -> 14;
      case QINT16 -> 15;
      case QUINT16 -> 16;
      case UINT16 -> 17;
      case COMPLEX128 -> 18;
      case FP16 -> 19;
      case UINT32 -> 22;
      case UINT64 -> 23;
      case UNSUPPORTED -> throw new IllegalArgumentException("no tensor is UNSUPPORTED");
    };
  }

  /** Returns the type of the values, whether by reference or not. */
  static DataType type(int number) {
    return switch (isReference(number) ? number - REFERENCE : number) {
      case 1 -> DataType.FP32;
      case 2 -> DataType.FP64;
      case 3 -> DataType.INT32;
      case 4 -> DataType.UINT8;
      case 5 -> DataType.INT16;
      case 6 -> DataType.INT8;
      case STRING -> DataType.BYTES;
      case 8 -> DataType.COMPLEX64;
      case 9 -> DataType.INT64;
      case 10 -> DataType.BOOL;
      case 11 -> DataType.QINT8;
      case 12 -> DataType.QUINT8;
      case 13 -> DataType.QINT32;
      case 14 -> DataType.BF16;
      case 15 -> DataType.QINT16;
      case 16 -> DataType.QUINT16;
      case 17 -> DataType.UINT16;
      case 18 -> DataType.COMPLEX128;
      case 19 -> DataType.FP16;
      case 22 -> DataType.UINT32;
      case 23 -> DataType.UINT64;
      default -> DataType.UNSUPPORTED;
    };
  }

  static boolean isReference(int number) {
    return number > REFERENCE;
  }

  /** Returns the type as TensorFlow writes it: {@code DT_FLOAT}, {@code DT_FLOAT_REF}. */
  static String nativeName(int number) {
    int value = isReference(number) ? number - REFERENCE : number;
    String name = value >= 0 && value < NAMES.length ? NAMES[value] : String.valueOf(value);
    return "DT_" + name + (isReference(number) ? "_REF" : "");
  }
}
