package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A block of native memory that is filled as bytes arrive and then cut into tensors that share it.
 *
 * <p>Owner: the caller that made it must {@link #close} it; the memory itself is freed when the
 * last of the tensors is closed too, on whichever thread that is. Filled and cut by one thread at a
 * time.
 *
 * <p>Memory that was never written to costs nothing but addresses, so the size may be one that a
 * sender only announced.
 */
public final class SharedBlock implements AutoCloseable {
  private final MemorySegment block;
  private final MemorySegment bytes;
  private final AtomicInteger holders = new AtomicInteger(1);
  private boolean closed;

  /**
   * @param size bytes it holds
   * @param aligned which of its bytes lies on a boundary that both runtimes like
   */
  public SharedBlock(long size, long aligned) {
    long lead = -aligned & (TensorMemory.ALIGNMENT - 1);
    this.block = TensorMemory.allocate(lead + size);
    this.bytes = block.asSlice(lead, size);
  }

  /** Returns the memory, valid until the block is closed. */
  public MemorySegment bytes() {
    return bytes;
  }

  /** Fills in what has arrived. */
  public void put(long at, ByteBuffer source) {
    MemorySegment arrived = MemorySegment.ofBuffer(source);
    MemorySegment.copy(arrived, 0, bytes, at, arrived.byteSize());
  }

  /**
   * Returns a tensor of a part of the bytes: without a copy if they lie where a tensor may, else
   * with one. The caller owns it, and has checked that the part is such a tensor.
   *
   * @throws IllegalArgumentException if the part is shorter or longer than such a tensor
   */
  public Tensor cut(DataType type, Shape shape, long from, long size) {
    Tensor.requireSize(type, shape, size);
    MemorySegment part = bytes.asSlice(from, size);
    if (type.isFixedSize() && part.address() % TensorMemory.ALIGNMENT != 0) {
      Tensor copy = Tensor.allocate(type, shape);
      copy.data().copyFrom(part);
      return copy;
    }
    holders.incrementAndGet();
    return Tensor.adopt(type, shape, part, this::release);
  }

  private void release() {
    if (holders.decrementAndGet() == 0) {
      TensorMemory.free(block);
    }
  }

  /** Releases the owner's reference. Idempotent: closing again does nothing. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      release();
    }
  }
}
