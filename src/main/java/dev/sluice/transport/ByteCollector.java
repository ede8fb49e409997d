package dev.sluice.transport;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.tensor.SharedBlock;
import dev.sluice.transport.netty.vertx.NettyBuffers;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the pieces of a body. On the heap they are put in arrays that are made as they arrive:
 * never from what the sender announces alone, since announcing costs it nothing. No array grows, so
 * that taking a piece is never more than copying it; {@link #toBody} joins them, and can do that on
 * a worker. In native memory they have their final place from the beginning.
 *
 * <p>Owner: the collector owns its native memory until {@link #toBody}; {@link #clear} frees it.
 */
public final class ByteCollector {
  /** Bytes that are set aside for an announced length before any has arrived. */
  private static final int TRUSTED_LENGTH = 64 * 1024;

  /** The largest array, in bytes: making it, zeros and all, holds the thread for some 100 µs. */
  private static final int LARGEST_ARRAY = 1024 * 1024;

  /**
   * Bytes from which a body with raw tensors is collected in native memory. The tensors of a
   * smaller one are copied in less time than it takes to make a block and count its holders.
   */
  private static final int NATIVE_SIZE = 64 * 1024;

  private static final byte[] NOTHING = {};

  private final List<byte[]> full = new ArrayList<>(0);
  private byte[] last = NOTHING;
  private int filled;
  private int size;
  private long expected;

  /** The first piece, as long as it is the only one. Most bodies come in one. */
  private @Nullable Buffer only;

  private @Nullable SharedBlock block;

  /** Says how many bytes the sender announced; negative if it did not. */
  public void expect(long length) {
    expected = length;
  }

  /**
   * Returns whether so much was announced that raw tensors in it should be collected in native
   * memory.
   */
  public boolean isLarge() {
    return expected >= NATIVE_SIZE;
  }

  /**
   * Collects in native memory: as much as was announced, which the caller has bounded. Called
   * before the first piece.
   *
   * @param tensorAt where raw bytes of a tensor begin
   */
  public void land(long tensorAt) {
    block = new SharedBlock(expected, tensorAt);
  }

  /** Returns the number of bytes collected so far. */
  public int size() {
    return size;
  }

  /** Returns whether so many more bytes fit: native memory has as much as was announced. */
  public boolean fits(int more) {
    return block == null || size + (long) more <= block.bytes().byteSize();
  }

  /** Adds a piece that {@link #fits}, and that will not change. */
  public void add(Buffer piece) {
    if (block != null) {
      block.put(size, Buffers.view(piece));
    } else if (size == 0) {
      only = piece;
    } else {
      copyOnly();
      copy(piece);
    }
    size += piece.length();
  }

  /** Adds a piece that {@link #fits}, and that is the caller's again after this call. */
  public void addView(ByteBuf piece) {
    add(block == null ? Buffers.copy(piece) : NettyBuffers.buffer(piece));
  }

  private void copyOnly() {
    if (only != null) {
      Buffer first = only;
      only = null;
      size = 0;
      copy(first);
      size = first.length();
    }
  }

  private void copy(Buffer piece) {
    int from = 0;
    while (from < piece.length()) {
      if (filled == last.length) {
        nextArray(piece.length() - from);
      }
      int part = Math.min(piece.length() - from, last.length - filled);
      piece.getBytes(from, from + part, last, filled);
      from += part;
      filled += part;
    }
  }

  private void nextArray(int needed) {
    if (filled > 0) {
      full.add(last);
    }
    last = new byte[capacity(needed)];
    filled = 0;
  }

  /** Returns the next capacity, twice the current one, so that bytes are joined from few arrays. */
  private int capacity(int needed) {
    int doubled = Math.min(LARGEST_ARRAY, Math.max(needed, Math.max(size, TRUSTED_LENGTH)));
    long left = expected - size;
    return left >= needed ? (int) Math.min(left, doubled) : Math.max(needed, doubled / 2);
  }

  /** Forgets everything, and frees it. */
  public void clear() {
    if (block != null) {
      block.close();
      block = null;
    }
    only = null;
    full.clear();
    last = NOTHING;
    filled = 0;
    size = 0;
  }

  /** Returns the number of bytes that {@link #toBody} has to copy. */
  public long joinedBytes() {
    return full.isEmpty() ? 0 : size;
  }

  /**
   * Returns the collected body, which the caller owns. The collector is not to be used any more.
   */
  public Body toBody() {
    if (block != null) {
      return new Body(block, size);
    }
    if (only != null) {
      return Buffers.body(only);
    }
    return full.isEmpty() ? new Body(last, 0, filled) : Body.of(join());
  }

  /** Joins the arrays, and forgets them. Until then the body is held twice. */
  private byte[] join() {
    MemoryAccount.chargeCurrent(Kind.BODY, size);
    byte[] bytes = new byte[size];
    int at = 0;
    for (byte[] array : full) {
      System.arraycopy(array, 0, bytes, at, array.length);
      at += array.length;
    }
    System.arraycopy(last, 0, bytes, at, filled);
    full.clear();
    last = NOTHING;
    MemoryAccount.releaseCurrent(Kind.BODY, size);
    return bytes;
  }
}
