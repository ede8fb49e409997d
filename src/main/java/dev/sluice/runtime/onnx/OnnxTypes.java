package dev.sluice.runtime.onnx;

import dev.sluice.tensor.DataType;

/** Element types by their ONNX numbers and names. */
final class OnnxTypes {
  private static final String[] NAMES = {
    "undefined",
    "float",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "string",
    "bool",
    "float16",
    "double",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
    "bfloat16"
  };

  private OnnxTypes() {}

  static int number(DataType type) {
    return switch (type) {
      case FP32 -> 1;
      case UINT8 -> 2;
      case INT8 -> 3;
      case UINT16 -> 4;
      case INT16 -> 5;
      case INT32 -> 6;
      case INT64 -> 7;
      case BYTES -> 8;
      case BOOL -> 9;
      case FP16 -> 10;
      case FP64 -> 11;
      case UINT32 -> 12;
      case UINT64 -> 13;
      case BF16 -> 16;
      default -> throw new IllegalArgumentException("ONNX has no " + type);
    };
  }

  static DataType type(int number) {
    return switch (number) {
      case 1 -> DataType.FP32;
      case 2 -> DataType.UINT8;
      case 3 -> DataType.INT8;
      case 4 -> DataType.UINT16;
      case 5 -> DataType.INT16;
      case 6 -> DataType.INT32;
      case 7 -> DataType.INT64;
      case 8 -> DataType.BYTES;
      case 9 -> DataType.BOOL;
      case 10 -> DataType.FP16;
      case 11 -> DataType.FP64;
      case 12 -> DataType.UINT32;
      case 13 -> DataType.UINT64;
      case 16 -> DataType.BF16;
      default -> DataType.UNSUPPORTED;
    };
  }

  /** Returns the type of a tensor as ONNX tools write it: {@code tensor(float)}. */
  static String nativeName(int number) {
    return "tensor(" + (number < NAMES.length ? NAMES[number] : "type " + number) + ")";
  }

  /** Returns the same for what is no tensor, by the number of its kind. */
  static String kindName(int kind) {
    return switch (kind) {
      case 2 -> "sequence";
      case 3 -> "map";
      case 5 -> "sparse tensor";
      case 6 -> "optional";
      default -> "opaque";
    };
  }
}
