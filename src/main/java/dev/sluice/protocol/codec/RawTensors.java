package dev.sluice.protocol.codec;

import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedBlock;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Tensors as raw little-endian bytes, the layout of the Open Inference Protocol's binary tensor
 * data: numbers without gaps; for BYTES a 32-bit length in front of each element. It is also the
 * layout in memory, so that reading and writing is one copy.
 */
public final class RawTensors {
  /** The fault in the bytes of a BYTES tensor. */
  public enum Fault {
    NONE,
    /** Fewer elements than wanted. */
    TOO_FEW,
    /** More elements than wanted. */
    TOO_MANY,
    /** Under four bytes are left where a length should be. */
    INCOMPLETE_LENGTH,
    /** A length reaches beyond the end. */
    INCOMPLETE_ELEMENT
  }

  /**
   * The elements that were counted in the bytes of a BYTES tensor.
   *
   * @param fault what is wrong
   * @param elements how many whole elements there are
   */
  public record Count(Fault fault, long elements) {}

  private RawTensors() {}

  /** Returns the number of bytes that a tensor of a fixed-size type takes. */
  public static long byteSize(DataType type, Shape shape) {
    return Math.multiplyExact(shape.elementCount(), type.byteSize());
  }

  /** Walks the elements of a BYTES tensor that should hold so many. */
  public static Count count(Body raw, long wanted) {
    MemorySegment bytes = raw.segment();
    long at = 0;
    long elements = 0;
    while (at < raw.length()) {
      if (raw.length() - at < BytesElements.LENGTH.byteSize()) {
        return new Count(Fault.INCOMPLETE_LENGTH, elements);
      }
      long length = Integer.toUnsignedLong(bytes.get(BytesElements.LENGTH, at));
      at += BytesElements.LENGTH.byteSize();
      if (length > raw.length() - at) {
        return new Count(Fault.INCOMPLETE_ELEMENT, elements);
      }
      at += length;
      elements++;
    }
    if (elements == wanted) {
      return new Count(Fault.NONE, elements);
    }
    return new Count(elements < wanted ? Fault.TOO_FEW : Fault.TOO_MANY, elements);
  }

  /**
   * Returns a tensor of these bytes, which the caller has checked: {@link #byteSize} or {@link
   * #count}. They are copied, but for those that lie in native memory already, and where a tensor
   * may begin.
   *
   * @throws IllegalArgumentException if there are fewer or more bytes of a type of fixed size
   */
  public static Tensor read(DataType type, Shape shape, Body raw) {
    Tensor.requireSize(type, shape, raw.length());
    SharedBlock block = raw.block();
    if (block != null) {
      return block.cut(type, shape, raw.offset(), raw.length());
    }
    MemorySegment source = raw.segment();
    if (type != DataType.BYTES) {
      Tensor tensor = Tensor.allocate(type, shape);
      tensor.data().copyFrom(source);
      return tensor;
    }
    try (var builder = new TensorBuilder(type, raw.length())) {
      builder.putRaw(source, 0, raw.length(), shape.elementCount());
      return builder.build(shape);
    }
  }

  /** Returns whether a BOOL tensor's bytes are all 0 or 1, as runtimes take for granted. */
  public static boolean areBooleans(Body raw) {
    MemorySegment bytes = raw.segment();
    long others = 0;
    long at = 0;
    for (; at + Long.BYTES <= raw.length(); at += Long.BYTES) {
      others |= bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }
    for (; at < raw.length(); at++) {
      others |= bytes.get(ValueLayout.JAVA_BYTE, at);
    }
    return (others & ~0x0101_0101_0101_0101L) == 0;
  }

  /** Copies a tensor's bytes into an array. */
  public static void write(Tensor tensor, byte[] into, int at) {
    MemorySegment.copy(
        tensor.data(), ValueLayout.JAVA_BYTE, 0, into, at, Math.toIntExact(tensor.byteSize()));
  }
}
