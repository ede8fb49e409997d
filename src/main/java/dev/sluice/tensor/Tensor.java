package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A typed block of native memory with a shape.
 *
 * <p>Owner: the holder of the tensor must {@link #close} it or hand it on; each method that takes a
 * tensor says whether it takes it over. It may pass between threads, but only one uses it at a
 * time. After {@code close} the memory is freed and {@link #data} throws.
 *
 * <p>Layout: elements in row-major order without gaps, little-endian. BOOL is one byte, 0 or 1.
 * BYTES is, per element, a 32-bit length and that many bytes, as the Open Inference Protocol sends
 * it (src/docs/reference/protocols/open-inference.md, element layout); read it with {@link
 * BytesElements}.
 */
public final class Tensor implements AutoCloseable {
  private final DataType type;
  private final Shape shape;
  private final @Nullable Runnable release;
  private final boolean counted;

  /** The memory that is freed as a whole: the data, and what is allocated behind it. */
  private final MemorySegment block;

  private @Nullable MemorySegment data;

  private Tensor(
      DataType type,
      Shape shape,
      MemorySegment data,
      MemorySegment block,
      @Nullable Runnable release,
      boolean counted) {
    this.counted = counted;
    this.type = type;
    this.shape = shape;
    this.data = data;
    this.block = block;
    this.release = release;
  }

  /**
   * Returns a tensor of a fixed-size type, with undefined contents. The caller has bounded the
   * size.
   *
   * @throws IllegalArgumentException for BYTES, whose size the shape does not tell
   */
  public static Tensor allocate(DataType type, Shape shape) {
    if (!type.isFixedSize()) {
      throw new IllegalArgumentException(type + " has no fixed element size");
    }
    long bytes = Math.multiplyExact(shape.elementCount(), type.byteSize());
    return over(type, shape, TensorMemory.allocate(bytes), bytes);
  }

  /**
   * Requires that bytes are exactly a tensor of a fixed-size type. Memory beyond them could hold
   * another request's values.
   *
   * @throws IllegalArgumentException if they are fewer or more, or the shape is not full; never for
   *     BYTES
   */
  public static void requireSize(DataType type, Shape shape, long bytes) {
    if (type.isFixedSize() && !isSize(type, shape, bytes)) {
      throw new IllegalArgumentException(
          bytes + " bytes are no tensor of " + type + " of shape " + shape);
    }
  }

  private static boolean isSize(DataType type, Shape shape, long bytes) {
    try {
      return shape.isFull() && bytes == Math.multiplyExact(shape.elementCount(), type.byteSize());
    } catch (ArithmeticException _) {
      return false; // No memory has so many elements.
    }
  }

  /**
   * Returns a tensor over the first bytes of a block of {@link TensorMemory}, which it takes over.
   */
  static Tensor over(DataType type, Shape shape, MemorySegment block, long bytes) {
    MemorySegment data = bytes == block.byteSize() ? block : block.asSlice(0, bytes);
    return new Tensor(type, shape, data, block, null, true);
  }

  /**
   * Returns a tensor over memory that a runtime owns.
   *
   * @param release gives the memory back; called once, by {@link #close}, on any thread
   */
  public static Tensor adopt(DataType type, Shape shape, MemorySegment data, Runnable release) {
    TensorMemory.opened(data.byteSize());
    if (CheckedMemory.ON) {
      var checked = new CheckedMemory.Lifetime(data, release);
      return new Tensor(type, shape, checked.memory(), checked.memory(), checked, true);
    }
    return new Tensor(type, shape, data, data, release, true);
  }

  /**
   * Returns a tensor over a part of another's memory, which is counted there.
   *
   * @param release called once, by {@link #close}, on any thread
   */
  static Tensor slice(DataType type, Shape shape, MemorySegment data, Runnable release) {
    return new Tensor(type, shape, data, data, release, false);
  }

  /**
   * Returns the same memory, as a tensor that does not own it: closing it does nothing, and it is
   * not to be used when this one is closed.
   */
  public Tensor borrow() {
    return slice(type, shape, data(), Tensor::nothing);
  }

  /**
   * Returns the same memory in another shape of as many elements, as a tensor that does not own it;
   * see {@link #borrow}.
   */
  public Tensor borrow(Shape other) {
    return slice(type, other, data(), Tensor::nothing);
  }

  /**
   * Returns its first elements in a shape, as a tensor that does not own them; see {@link #borrow}.
   */
  public Tensor borrowFirst(Shape first) {
    return slice(
        type, first, data().asSlice(0, byteSizeOf(0, first.elementCount())), Tensor::nothing);
  }

  private static void nothing() {
    // The owner frees the memory.
  }

  /** Returns a tensor of its own with the same elements. */
  public Tensor copy() {
    MemorySegment from = data();
    MemorySegment block = TensorMemory.allocate(from.byteSize());
    MemorySegment.copy(from, 0, block, 0, from.byteSize());
    return over(type, shape, block, from.byteSize());
  }

  /** Returns the action that gives the memory back, if it is not the tensor's own. */
  @Nullable Runnable release() {
    return release;
  }

  /** Returns the type of all elements. */
  public DataType type() {
    return type;
  }

  /** Returns the shape, in which every dimension is known. */
  public Shape shape() {
    return shape;
  }

  /** Returns the number of elements, the product of the dimensions. */
  public long elementCount() {
    return shape.elementCount();
  }

  /** Returns the size of the data in bytes. */
  public long byteSize() {
    return data().byteSize();
  }

  /** Returns the bytes of so many elements, from an offset at which one begins. */
  public long byteSizeOf(long offset, long elements) {
    if (type.isFixedSize()) {
      return elements * type.byteSize();
    }
    long end = offset;
    for (long i = 0; i < elements; i++) {
      end += BytesElements.LENGTH.byteSize() + data().get(BytesElements.LENGTH, end);
    }
    return end - offset;
  }

  /**
   * Returns the memory, valid until {@link #close}.
   *
   * @throws IllegalStateException if the tensor is closed
   */
  public MemorySegment data() {
    if (data == null) {
      throw new IllegalStateException("the tensor is closed", CheckedMemory.cause(block, release));
    }
    return data;
  }

  /** Frees the memory. Idempotent: closing again does nothing. */
  @Override
  public void close() {
    if (data == null) {
      return;
    }
    data = null;
    if (release == null) {
      TensorMemory.free(block);
    } else {
      if (counted) {
        TensorMemory.closed(block.byteSize());
      }
      release.run();
    }
  }

  @Override
  public String toString() {
    return type + shape.toString() + (data == null ? " (closed)" : "");
  }
}
