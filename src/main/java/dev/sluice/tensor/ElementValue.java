package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * A number as an element of a tensor, to fill memory with.
 *
 * @param bytes of the element, as they lie in a tensor; a heap segment that is not written to
 * @param zero whether all bits are 0
 */
public record ElementValue(MemorySegment bytes, boolean zero) {
  /** Zero, of any type. */
  public static final ElementValue ZERO = encoded(DataType.BOOL, 0);

  private static final long MOST_WHOLE = 1L << 53;

  /**
   * Returns a number as an element; empty if the type has no such value, or no number at all.
   *
   * @param type one whose elements have a fixed size
   */
  public static Optional<ElementValue> of(DataType type, double number) {
    boolean fits =
        switch (type) {
          case BOOL -> number == 0 || number == 1;
          case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64 -> holds(type, number);
          case FP16, BF16, FP32, FP64 -> true;
          default -> false;
        };
    return fits ? Optional.of(encoded(type, number)) : Optional.empty();
  }

  private static boolean holds(DataType type, double number) {
    boolean signed = type.name().charAt(0) == 'I';
    double values = Math.min(MOST_WHOLE, Math.scalb(1.0, type.byteSize() * Byte.SIZE));
    double lowest = signed ? -values / 2 : 0;
    return number == Math.rint(number) && number >= lowest && number < lowest + values;
  }

  private static ElementValue encoded(DataType type, double number) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[type.byteSize()]);
    long bits =
        switch (type) {
          case FP64 -> Double.doubleToRawLongBits(number);
          case FP32 -> Float.floatToRawIntBits((float) number);
          case BF16 -> Float.floatToRawIntBits((float) number) >>> Short.SIZE;
          case FP16 -> Float.floatToFloat16((float) number);
          default -> (long) number;
        };
    for (int i = 0; i < type.byteSize(); i++) {
      bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (bits >>> (i * Byte.SIZE)));
    }
    return new ElementValue(bytes, bits == 0);
  }

  /** Writes the element again and again until so many bytes of a tensor are filled. */
  public void fill(MemorySegment memory, long from, long size) {
    if (zero || bytes.byteSize() == 1) {
      memory.asSlice(from, size).fill(bytes.get(ValueLayout.JAVA_BYTE, 0));
      return;
    }
    for (long at = from; at < from + size; at += bytes.byteSize()) {
      MemorySegment.copy(bytes, 0, memory, at, bytes.byteSize());
    }
  }
}
