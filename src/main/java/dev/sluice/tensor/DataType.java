package dev.sluice.tensor;

/**
 * The element types a tensor can have, by their Open Inference Protocol names; those that it lacks,
 * by TensorFlow's.
 *
 * <p>FP16 is IEEE 754 binary16, BF16 the upper half of a binary32. BYTES elements are octet strings
 * of any length below 2^31; see {@link Tensor} for how they lie in memory. A complex number is its
 * real and its imaginary part, floats of half its size. The quantized types are integers of their
 * size; what they stand for only the model knows.
 */
public enum DataType {
  BOOL(1),
  UINT8(1),
  UINT16(2),
  UINT32(4),
  UINT64(8),
  INT8(1),
  INT16(2),
  INT32(4),
  INT64(8),
  FP16(2),
  BF16(2),
  FP32(4),
  FP64(8),
  BYTES(0),
  COMPLEX64(8),
  COMPLEX128(16),
  QINT8(1),
  QUINT8(1),
  QINT16(2),
  QUINT16(2),
  QINT32(4),
  /**
   * A type that a model declares and no protocol here carries. Seen in metadata, never in tensors.
   */
  UNSUPPORTED(0);

  private final int byteSize;

  DataType(int byteSize) {
    this.byteSize = byteSize;
  }

  /** Returns the size of one element in bytes; 0 where elements have no fixed size. */
  public int byteSize() {
    return byteSize;
  }

  /** Returns whether every element takes the same number of bytes. */
  public boolean isFixedSize() {
    return byteSize > 0;
  }

  /**
   * Returns whether the protocols have it in common. Complex numbers and quantized integers are
   * TensorFlow's alone: only its gRPC messages carry them.
   */
  public boolean isCommon() {
    return switch (this) {
      case COMPLEX64, COMPLEX128, QINT8, QUINT8, QINT16, QUINT16, QINT32, UNSUPPORTED -> false;
      default -> true;
    };
  }

  /** Returns whether values are whole numbers, signed or not. BOOL is none. */
  public boolean isInteger() {
    return switch (this) {
      case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64 -> true;
      default -> false;
    };
  }

  /** Returns whether values are floating point numbers of any width. */
  public boolean isFloat() {
    return this == FP16 || this == BF16 || this == FP32 || this == FP64;
  }
}
