package dev.sluice.tensor;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Collects elements into native memory when their number is not known beforehand, and becomes the
 * tensor without a copy. The memory grows by doubling, so a builder never holds more than twice
 * what was put in, or the capacity it was made with.
 *
 * <p>Owner: the builder owns its memory until {@link #build}; {@link #close} frees what was not
 * built. One thread at a time.
 */
public final class TensorBuilder implements AutoCloseable {
  private final DataType type;
  private @Nullable MemorySegment block;
  private long position;
  private long elements;

  /**
   * @param type the type of the elements to come
   * @param capacity bytes to begin with
   */
  public TensorBuilder(DataType type, long capacity) {
    this.type = type;
    this.block = TensorMemory.allocate(capacity);
  }

  /** Returns the type of the elements that are put. */
  public DataType type() {
    return type;
  }

  /** Returns how many elements were put. */
  public long elements() {
    return elements;
  }

  /** Appends an element of one byte: INT8, UINT8 or BOOL. */
  public void putByte(byte value) {
    claim(1).set(JAVA_BYTE, position, value);
    position += 1;
    elements++;
  }

  /** Appends an element of two bytes: INT16, UINT16, or the bits of FP16 or BF16. */
  public void putShort(short value) {
    claim(2).set(JAVA_SHORT, position, value);
    position += 2;
    elements++;
  }

  /** Appends an element of four bytes: INT32 or UINT32. */
  public void putInt(int value) {
    claim(4).set(JAVA_INT, position, value);
    position += 4;
    elements++;
  }

  /** Appends an element of eight bytes: INT64 or UINT64. */
  public void putLong(long value) {
    claim(8).set(JAVA_LONG, position, value);
    position += 8;
    elements++;
  }

  /** Appends an element of FP32. */
  public void putFloat(float value) {
    claim(4).set(JAVA_FLOAT, position, value);
    position += 4;
    elements++;
  }

  /** Appends an element of FP64. */
  public void putDouble(double value) {
    claim(8).set(JAVA_DOUBLE, position, value);
    position += 8;
    elements++;
  }

  /** Puts the first of these values, each as the nearest float. */
  public void putFloats(double[] values, int count) {
    MemorySegment memory = claim(4L * count);
    for (int i = 0; i < count; i++) {
      memory.set(JAVA_FLOAT, position + 4L * i, (float) values[i]);
    }
    position += 4L * count;
    elements += count;
  }

  /** Puts the first of these values. */
  public void putDoubles(double[] values, int count) {
    MemorySegment memory = claim(8L * count);
    MemorySegment.copy(values, 0, memory, JAVA_DOUBLE, position, count);
    position += 8L * count;
    elements += count;
  }

  /**
   * Puts the first of these values, all of which elements of this size hold.
   *
   * @param bytes of one element: 1, 2, 4 or 8
   */
  public void putIntegers(long[] values, int count, int bytes) {
    MemorySegment memory = claim((long) bytes * count);
    switch (bytes) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          memory.set(JAVA_BYTE, position + i, (byte) values[i]);
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          memory.set(JAVA_SHORT, position + 2L * i, (short) values[i]);
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          memory.set(JAVA_INT, position + 4L * i, (int) values[i]);
        }
      }
      default -> MemorySegment.copy(values, 0, memory, JAVA_LONG, position, count);
    }
    position += (long) bytes * count;
    elements += count;
  }

  /** Puts one BYTES element. */
  public void putBytes(byte[] source, int from, int length) {
    MemorySegment memory = claim(4L + length);
    memory.set(BytesElements.LENGTH, position, length);
    MemorySegment.copy(source, from, memory, JAVA_BYTE, position + 4, length);
    position += 4L + length;
    elements++;
  }

  /** Puts one BYTES element from native memory. */
  public void putBytes(MemorySegment source, long from, int length) {
    MemorySegment memory = claim(4L + length);
    memory.set(BytesElements.LENGTH, position, length);
    MemorySegment.copy(source, from, memory, position + 4, length);
    position += 4L + length;
    elements++;
  }

  /** Puts one BYTES element that is two pieces, one behind the other. */
  public void putBytes(MemorySegment first, MemorySegment second) {
    long length = Math.addExact(first.byteSize(), second.byteSize());
    MemorySegment memory = claim(4 + length);
    memory.set(BytesElements.LENGTH, position, Math.toIntExact(length));
    MemorySegment.copy(first, 0, memory, position + 4, first.byteSize());
    MemorySegment.copy(second, 0, memory, position + 4 + first.byteSize(), second.byteSize());
    position += 4 + length;
    elements++;
  }

  /**
   * Appends to the one BYTES element that was put.
   *
   * @throws ArithmeticException if the element becomes longer than its length can say
   */
  public void extendBytes(MemorySegment source, long from, int length) {
    MemorySegment memory = claim(length);
    int whole = Math.addExact(memory.get(BytesElements.LENGTH, 0), length);
    memory.set(BytesElements.LENGTH, 0, whole);
    MemorySegment.copy(source, from, memory, position, length);
    position += length;
  }

  /** Puts elements as they already lie in a tensor of this builder's type. */
  public void putRaw(MemorySegment source, long from, long bytes, long count) {
    MemorySegment memory = claim(bytes);
    MemorySegment.copy(source, from, memory, position, bytes);
    position += bytes;
    elements += count;
  }

  /**
   * Turns what was put into a tensor, which owns the memory from now on.
   *
   * @throws IllegalArgumentException if the shape holds another number of elements; nothing changes
   */
  public Tensor build(Shape shape) {
    if (shape.elementCount() != elements) {
      throw new IllegalArgumentException(
          "shape " + shape + " does not hold the " + elements + " elements that were put");
    }
    MemorySegment built = memory();
    block = null;
    return Tensor.over(type, shape, built, position);
  }

  /** Frees the memory unless {@link #build} has passed it on. */
  @Override
  public void close() {
    if (block != null) {
      TensorMemory.free(block);
      block = null;
    }
  }

  private MemorySegment memory() {
    if (block == null) {
      throw new IllegalStateException("the builder was built or closed");
    }
    return block;
  }

  private MemorySegment claim(long bytes) {
    MemorySegment memory = memory();
    if (position + bytes > memory.byteSize()) {
      memory = grow(memory, position + bytes);
    }
    return memory;
  }

  private MemorySegment grow(MemorySegment full, long needed) {
    MemorySegment larger = TensorMemory.allocate(Math.max(full.byteSize() * 2, needed));
    MemorySegment.copy(full, 0, larger, 0, position);
    TensorMemory.free(full);
    block = larger;
    return larger;
  }
}
