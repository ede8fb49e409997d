package dev.sluice.tensor;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A tensor that is cut along dimension 0 into tensors that share its memory: nothing is copied, and
 * the last close frees it.
 *
 * <p>Owner: takes the whole over. Each slice belongs to whom it is given to, and may be closed on
 * any thread. Cut on one thread, then {@link #close}.
 */
public final class SharedTensor implements AutoCloseable {
  private final Tensor whole;
  private final AtomicInteger users = new AtomicInteger(1);
  private final Share share;
  private final Runnable whenUnused;
  private long row;
  private long offset;

  /**
   * @param whole taken over; of rank 1 or more if it is to be cut. If it is a slice itself, its
   *     parts are slices of the same tensor
   */
  public SharedTensor(Tensor whole) {
    this.whole = whole;
    this.whenUnused = whole::close;
    this.share = whole.release() instanceof Share cut ? cut : new Share();
  }

  /**
   * Shares a tensor that stays the caller's.
   *
   * @param whole valid until {@code whenUnused} has run
   * @param whenUnused called once, by the last close, on any thread
   */
  public SharedTensor(Tensor whole, Runnable whenUnused) {
    this.whole = whole;
    this.whenUnused = whenUnused;
    this.share = new Share();
  }

  /** Returns the whole tensor once more. Read-only, since it is shared. */
  public Tensor all() {
    return all(whole.shape());
  }

  /** Returns the whole tensor once more, in another shape of as many elements. */
  public Tensor all(Shape shape) {
    return share.slice(whole.data(), shape);
  }

  /** Returns the shape of the whole. */
  public Shape shape() {
    return whole.shape();
  }

  /** Returns the next rows, as a tensor of their own. */
  public Tensor next(long rows) {
    Shape shape = whole.shape().withRows(rows);
    long from = offset;
    skip(rows);
    MemorySegment data = whole.data().asSlice(from, offset - from);
    return share.slice(data, shape);
  }

  /**
   * Returns the next elements, as a tensor of a shape of its own. Not together with {@link
   * #next(long)}.
   */
  public Tensor next(Shape shape) {
    long from = offset;
    offset += whole.byteSizeOf(offset, shape.elementCount());
    return share.slice(whole.data().asSlice(from, offset - from), shape);
  }

  /** Skips rows. */
  public void skip(long rows) {
    if (row + rows > whole.shape().dim(0)) {
      throw new IllegalArgumentException(whole + " has no " + rows + " rows after row " + row);
    }
    offset += whole.byteSizeOf(offset, whole.shape().withRows(rows).elementCount());
    row += rows;
  }

  /** Gives one slice back. */
  private final class Share implements Runnable {
    @Override
    public void run() {
      leave();
    }

    private SharedTensor cut() {
      return SharedTensor.this;
    }

    private Tensor slice(long address, long bytes, Shape shape) {
      return slice(whole.data().asSlice(address - whole.data().address(), bytes), shape);
    }

    private Tensor slice(MemorySegment data, Shape shape) {
      users.incrementAndGet();
      return Tensor.slice(whole.type(), shape, data, this);
    }
  }

  /**
   * Slices that lie one behind the other in one tensor as one slice of it, without a copy; null if
   * they do not. The slices stay their owners'.
   *
   * @param slices open, at least one
   * @param shape of all of them together
   */
  public static @Nullable Tensor joined(List<Tensor> slices, Shape shape) {
    Tensor first = slices.getFirst();
    if (!(first.release() instanceof Share share)) {
      return null;
    }
    long begin = first.data().address();
    long end = begin;
    for (Tensor slice : slices) {
      if (slice.release() != share || slice.data().address() != end) {
        return null;
      }
      end += slice.byteSize();
    }
    return share.slice(begin, end - begin, shape);
  }

  /** Returns what a slice was cut from, which stays its owners'; null if it is no slice. */
  public static @Nullable SharedTensor of(Tensor slice) {
    return slice.release() instanceof Share share ? share.cut() : null;
  }

  /**
   * Returns whether there are so many slices and no more: who holds these may write to what lies
   * outside of them.
   */
  public boolean isLeft(int slices) {
    return users.get() == slices;
  }

  /** Returns the row at which a slice begins. */
  public int rowOf(Tensor slice) {
    long rowBytes = whole.byteSize() / whole.shape().dim(0);
    return rowBytes == 0
        ? 0
        : Math.toIntExact((slice.data().address() - whole.data().address()) / rowBytes);
  }

  /** Returns some rows, of a type of fixed size, as a slice of its own. */
  public Tensor rows(long from, long count) {
    long rowBytes = whole.byteSize() / whole.shape().dim(0);
    MemorySegment data = whole.data().asSlice(from * rowBytes, count * rowBytes);
    return share.slice(data, whole.shape().withRows(count));
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      whenUnused.run();
    }
  }

  /**
   * Releases the owner's reference: no more slices will be made. Not idempotent, so called once.
   */
  @Override
  public void close() {
    leave();
  }
}
