package dev.sluice.protocol.grps;

import dev.sluice.tensor.DataType;
import java.util.List;

/**
 * The element types of grps tensors. It has fewer than models have: BOOL, the wider unsigned types
 * and BF16 travel in the nearest type that holds all their values.
 */
public enum GrpsType {
  UINT8(1, "flat_uint8", "flatUint8", Kind.INTEGER),
  INT8(2, "flat_int8", "flatInt8", Kind.INTEGER),
  INT16(3, "flat_int16", "flatInt16", Kind.INTEGER),
  INT32(4, "flat_int32", "flatInt32", Kind.INTEGER),
  INT64(5, "flat_int64", "flatInt64", Kind.INTEGER),
  FLOAT16(6, "flat_float16", "flatFloat16", Kind.SINGLE),
  FLOAT32(7, "flat_float32", "flatFloat32", Kind.SINGLE),
  FLOAT64(8, "flat_float64", "flatFloat64", Kind.DOUBLE),
  STRING(9, "flat_string", "flatString", Kind.TEXT);

  /** The form of one value on the wire. */
  public enum Kind {
    INTEGER,
    SINGLE,
    DOUBLE,
    TEXT
  }

  private static final List<GrpsType> ALL = List.of(values());

  private final int number;
  private final String list;
  private final String camelCaseList;
  private final Kind kind;

  GrpsType(int number, String list, String camelCaseList, Kind kind) {
    this.number = number;
    this.list = list;
    this.camelCaseList = camelCaseList;
    this.kind = kind;
  }

  /**
   * Returns all types in the order of their numbers. Shared, so that no hot path copies an array.
   */
  public static List<GrpsType> all() {
    return ALL;
  }

  /** Returns its number in the enum DataType of the contract. */
  public int number() {
    return number;
  }

  /** Returns the number of the tensor's field that holds its values. */
  public int listField() {
    return number + 3;
  }

  /** Returns the name of the tensor's field that holds its values. */
  public String list() {
    return list;
  }

  /** Returns the same name in camel case, which JSON clients may send. */
  public String camelCaseList() {
    return camelCaseList;
  }

  /** Returns the form of one value on the wire. */
  public Kind kind() {
    return kind;
  }

  /** Returns its name on the wire. */
  public String wireName() {
    return "DT_" + name();
  }

  /** Returns whether a tensor of this type may feed an input of that type. */
  public boolean feeds(DataType input) {
    return switch (input) {
      case BOOL -> this == UINT8 || this == INT32;
      case UINT16, UINT32, UINT64 -> this == INT32 || this == INT64;
      case UINT8, INT8, INT16, INT32, INT64, FP16, BF16, FP32, FP64, BYTES -> this == of(input);
      default -> false;
    };
  }

  /** Returns the type of a tensor that was not declared. */
  public DataType natural() {
    return switch (this) {
      case UINT8 -> DataType.UINT8;
      case INT8 -> DataType.INT8;
      case INT16 -> DataType.INT16;
      case INT32 -> DataType.INT32;
      case INT64 -> DataType.INT64;
      case FLOAT16 -> DataType.FP16;
      case FLOAT32 -> DataType.FP32;
      case FLOAT64 -> DataType.FP64;
      case STRING -> DataType.BYTES;
    };
  }

  /** Returns the type in which values of a model's type are written. */
  public static GrpsType of(DataType type) {
    return switch (type) {
      case BOOL, UINT8 -> UINT8;
      case INT8 -> INT8;
      case INT16 -> INT16;
      case UINT16, INT32 -> INT32;
      case UINT32, UINT64, INT64 -> INT64;
      case FP16 -> FLOAT16;
      case BF16, FP32 -> FLOAT32;
      case FP64 -> FLOAT64;
      case BYTES -> STRING;
      default -> throw new IllegalArgumentException(type + " is no type of grps");
    };
  }
}
