package dev.sluice.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.sluice.tensor.SharedBlock;
import io.vertx.core.Future;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a request's body or message, or a part of them. Not to be changed.
 *
 * <p>Nearly all bodies are a range of an array. A large one whose tensors came as raw bytes may lie
 * in native memory instead, where its tensors are cut from it without a copy: only protocol
 * handlers that ask for it get such a body.
 *
 * <p>Owner: the transport, which frees the memory when the protocol handler has decoded the body,
 * or was answered. Parts borrow it.
 */
public final class Body implements AutoCloseable {
  public static final Body EMPTY = of(new byte[0]);

  /** Bytes of raw tensors, BYTES of the shortest elements too, that are one of text to decode. */
  private static final int RAW_RATIO = 4;

  private final byte[] bytes;
  private final @Nullable SharedBlock block;
  private final int offset;
  private final int length;

  private Body(byte[] bytes, @Nullable SharedBlock block, int offset, int length) {
    this.bytes = bytes;
    this.block = block;
    this.offset = offset;
    this.length = length;
  }

  /** A range of an array. */
  public Body(byte[] bytes, int offset, int length) {
    this(bytes, null, offset, length);
  }

  /** The first bytes of a block, which it takes over. */
  public Body(SharedBlock block, int length) {
    this(EMPTY.bytes, block, 0, length);
  }

  /** Returns a body over the whole array, which is not copied. */
  public static Body of(byte[] bytes) {
    return new Body(bytes, 0, bytes.length);
  }

  /** Returns the block it lies in; null if it lies in an array. */
  public @Nullable SharedBlock block() {
    return block;
  }

  /**
   * Returns the array it lies in.
   *
   * @throws IllegalStateException if it lies in native memory: see {@link #onHeap}
   */
  public byte[] bytes() {
    if (block != null) {
      throw new IllegalStateException("the body lies in native memory");
    }
    return bytes;
  }

  /**
   * Returns the work to decode it, in bytes of text: raw tensors are hardly more than looked at.
   */
  public long work() {
    return block == null ? length : length / RAW_RATIO;
  }

  /** Returns its offset in its array or block. */
  public int offset() {
    return offset;
  }

  /** Returns its length in bytes. */
  public int length() {
    return length;
  }

  /** Returns its end in its array or block. */
  public int end() {
    return offset + length;
  }

  /** Returns a part of this body. */
  public Body slice(int from, int size) {
    return new Body(bytes, block, offset + from, size);
  }

  /** Returns the bytes, wherever they lie. */
  public MemorySegment segment() {
    MemorySegment all = block == null ? MemorySegment.ofArray(bytes) : block.bytes();
    return all.asSlice(offset, length);
  }

  /** Returns the same bytes in an array: itself, or a copy. */
  public Body onHeap() {
    return block == null ? this : of(segment().toArray(JAVA_BYTE));
  }

  /**
   * Passes the body to asynchronous work, and closes it when that is complete.
   *
   * @param work borrows the body until its future is complete
   */
  public <T> Future<T> closeAfter(Function<Body, Future<T>> work) {
    if (block == null) {
      return work.apply(this);
    }
    try {
      return work.apply(this).onComplete(_ -> close());
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** Frees native memory, if the body lies there. Idempotent: closing again does nothing. */
  @Override
  public void close() {
    if (block != null) {
      block.close();
    }
  }
}
