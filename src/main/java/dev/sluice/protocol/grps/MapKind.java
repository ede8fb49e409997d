package dev.sluice.protocol.grps;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;

/** The maps of a gmap, in the order of their numbers. */
public enum MapKind {
  TEXT(1, "s_s"),
  BYTES(2, "s_b"),
  INT32(3, "s_i32"),
  INT64(4, "s_i64"),
  SINGLE(5, "s_f"),
  DOUBLE(6, "s_d");

  private final int number;
  private final String field;

  MapKind(int number, String field) {
    this.number = number;
    this.field = field;
  }

  /** Returns the map's name. */
  public String field() {
    return field;
  }

  /** Returns the map's number. */
  public int number() {
    return number;
  }

  /** Returns the type of a value that was not declared. */
  DataType natural() {
    return switch (this) {
      case TEXT, BYTES -> DataType.BYTES;
      case INT32 -> DataType.INT32;
      case INT64 -> DataType.INT64;
      case SINGLE -> DataType.FP32;
      case DOUBLE -> DataType.FP64;
    };
  }

  /** Returns the map that holds the value of a tensor of one element. */
  public static MapKind of(Tensor tensor) {
    return switch (GrpsType.of(tensor.type())) {
      case UINT8, INT8, INT16, INT32 -> INT32;
      case INT64 -> INT64;
      case FLOAT16, FLOAT32 -> SINGLE;
      case FLOAT64 -> DOUBLE;
      case STRING -> isText(tensor) ? TEXT : BYTES;
    };
  }

  private static boolean isText(Tensor tensor) {
    var element = new BytesElements(tensor);
    return !element.next() || Utf8.isValid(element);
  }
}
