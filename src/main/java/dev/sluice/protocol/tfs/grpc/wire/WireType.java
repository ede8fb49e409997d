package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import org.jspecify.annotations.Nullable;

/** The element types that travel here: their numbers, their names and where their values are. */
public enum WireType {
  FLOAT(1, DataType.FP32, ValuesField.FLOAT),
  DOUBLE(2, DataType.FP64, ValuesField.DOUBLE),
  INT32(3, DataType.INT32, ValuesField.INT),
  UINT8(4, DataType.UINT8, ValuesField.INT),
  INT16(5, DataType.INT16, ValuesField.INT),
  INT8(6, DataType.INT8, ValuesField.INT),
  STRING(7, DataType.BYTES, ValuesField.STRING),
  COMPLEX64(8, DataType.COMPLEX64, ValuesField.SCOMPLEX),
  INT64(9, DataType.INT64, ValuesField.INT64),
  BOOL(10, DataType.BOOL, ValuesField.BOOL),
  QINT8(11, DataType.QINT8, ValuesField.INT),
  QUINT8(12, DataType.QUINT8, ValuesField.INT),
  QINT32(13, DataType.QINT32, ValuesField.INT),
  BFLOAT16(14, DataType.BF16, ValuesField.HALF),
  QINT16(15, DataType.QINT16, ValuesField.INT),
  QUINT16(16, DataType.QUINT16, ValuesField.INT),
  UINT16(17, DataType.UINT16, ValuesField.INT),
  COMPLEX128(18, DataType.COMPLEX128, ValuesField.DCOMPLEX),
  HALF(19, DataType.FP16, ValuesField.HALF),
  UINT32(22, DataType.UINT32, ValuesField.UINT32),
  UINT64(23, DataType.UINT64, ValuesField.UINT64);

  private static final @Nullable WireType[] BY_NUMBER = new @Nullable WireType[24];

  static {
    for (WireType type : values()) {
      BY_NUMBER[type.number] = type;
    }
  }

  private final int number;
  private final DataType type;
  private final ValuesField field;

  WireType(int number, DataType type, ValuesField field) {
    this.number = number;
    this.type = type;
    this.field = field;
  }

  /** Returns the type with a number on the wire; null if none of that number travels here. */
  static @Nullable WireType of(int number) {
    return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
  }

  /**
   * Returns the type on the wire of a tensor's type.
   *
   * @throws IllegalArgumentException for UNSUPPORTED, which no tensor has
   */
  static WireType of(DataType type) {
    return switch (type) {
      case BOOL -> BOOL;
      case UINT8 -> UINT8;
      case UINT16 -> UINT16;
      case UINT32 -> UINT32;
      case UINT64 -> UINT64;
      case INT8 -> INT8;
      case INT16 -> INT16;
      case INT32 -> INT32;
      case INT64 -> INT64;
      case FP16 -> HALF;
      case BF16 -> BFLOAT16;
      case FP32 -> FLOAT;
      case FP64 -> DOUBLE;
      case BYTES -> STRING;
      case COMPLEX64 -> COMPLEX64;
      case COMPLEX128 -> COMPLEX128;
      case QINT8 -> QINT8;
      case QUINT8 -> QUINT8;
      case QINT16 -> QINT16;
      case QUINT16 -> QUINT16;
      case QINT32 -> QINT32;
      case UNSUPPORTED -> throw new IllegalArgumentException("no tensor is UNSUPPORTED");
    };
  }

  /** Returns the type's number on the wire. */
  public int number() {
    return number;
  }

  /** Returns the type of tensors that it stands for. */
  public DataType type() {
    return type;
  }

  ValuesField field() {
    return field;
  }

  /** Returns the name of the type in TensorFlow's own texts: {@code float}. */
  public String text() {
    return TensorflowTypeNames.of(type);
  }
}
