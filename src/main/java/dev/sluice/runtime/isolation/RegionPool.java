package dev.sluice.runtime.isolation;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/*
 * How regions come and go
 *
 * Taken.    By the one thread that runs the session: the smallest free region that is large enough, or a new one.
 * Returned. By whichever thread closes the last tensor in it: into a queue, which the running thread empties
 *           before the next run. Nothing else is shared, so there is no lock on a run's way.
 * Bound.    What is free beyond a bound is unmapped on both sides.
 * Closed.   The pool is closed with its session, while tensors may still lie in regions: each is unmapped by
 *           the thread that returns it.
 */

/**
 * The shared memory of one session. Used by the thread that runs it, but for what returns.
 *
 * <p>Regions are reused for later runs, so that a run maps no memory once sizes have settled.
 */
final class RegionPool implements AutoCloseable {
  private static final long SMALLEST = 64 << 10;
  private static final long LARGEST_POWER = 64L << 20;
  private static final long KEPT_BYTES = 128L << 20;

  /** The other side of a region. */
  interface Peer {
    /** Has the process map a file. Blocks until it has. */
    void map(int number, Path file, long bytes);

    /** Has the process unmap a region. */
    void unmap(int number);
  }

  private final Peer peer;
  private final List<SharedRegion> all = new ArrayList<>();
  private final List<SharedRegion> free = new ArrayList<>();
  private final Queue<SharedRegion> returned = new ConcurrentLinkedQueue<>();
  private int lastNumber;
  private volatile boolean closed;

  RegionPool(Peer peer) {
    this.peer = peer;
  }

  /**
   * Returns a region of at least so many bytes, retained once.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there is not so much shared memory
   */
  SharedRegion acquire(long bytes) {
    collect();
    SharedRegion best = null;
    for (SharedRegion region : free) {
      if (region.byteSize() >= bytes && (best == null || region.byteSize() < best.byteSize())) {
        best = region;
      }
    }
    if (best == null) {
      best = make(size(bytes));
    } else {
      free.remove(best);
    }
    best.retain();
    return best;
  }

  private static long size(long bytes) {
    if (bytes > LARGEST_POWER) {
      return (bytes + SMALLEST - 1) / SMALLEST * SMALLEST;
    }
    return Math.max(SMALLEST, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
  }

  private SharedRegion make(long bytes) {
    Arena arena = Arena.ofShared();
    try (SharedFile file = SharedFile.create(bytes)) {
      MemorySegment memory = file.map(arena);
      peer.map(++lastNumber, file.path(), bytes);
      var region = new SharedRegion(lastNumber, arena, memory, this::takeBack);
      all.add(region);
      return region;
    } catch (IOException e) {
      arena.close();
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "there is no shared memory of " + bytes + " bytes for the model's process: " + e,
          e);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** Regions that are mapped, in use or not. */
  int size() {
    return all.size();
  }

  /** Returns the region in which memory lies, or null. */
  @Nullable SharedRegion holding(MemorySegment data) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).offsetOf(data) >= 0) {
        return all.get(i);
      }
    }
    return null;
  }

  private void takeBack(SharedRegion region) {
    returned.add(region);
    if (closed) {
      unmapReturned();
    }
  }

  private void unmapReturned() {
    for (SharedRegion region = returned.poll(); region != null; region = returned.poll()) {
      region.unmap();
    }
  }

  private void collect() {
    for (SharedRegion region = returned.poll(); region != null; region = returned.poll()) {
      free.add(region);
    }
    long kept = free.stream().mapToLong(SharedRegion::byteSize).sum();
    while (kept > KEPT_BYTES) {
      SharedRegion oldest = free.removeFirst();
      kept -= oldest.byteSize();
      all.remove(oldest);
      peer.unmap(oldest.number());
      oldest.unmap();
    }
  }

  /** Unmaps what is free; what is in use goes when it is not. */
  @Override
  public void close() {
    closed = true;
    free.forEach(SharedRegion::unmap);
    free.clear();
    all.clear();
    unmapReturned();
  }
}
