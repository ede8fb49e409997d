package dev.sluice.tensor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/*
 * How a block finds its next user
 *
 * The C library frees a block of one thread on another under a lock, cuts an aligned block out of a
 * larger one, and gives the pages of a large one back to the kernel, which fills them with zeros when
 * they are asked for again. A tensor is made and freed thousands of times a second, always of the same
 * few sizes. So blocks that are freed wait here, by size.
 *
 * Sizes.    Powers of two. A block is never cut and never joined: memory cannot be fragmented.
 * Shelves.  One for each size: an array of places. Who frees puts the block into the first empty place,
 *           who needs one empties the first full place, both by one compare-and-set. Threads begin to
 *           look at different places, so that they seldom meet and find the block they used last, which
 *           their core still has in its cache. A thread that takes what others have freed begins where it
 *           last found a block.
 * Bound.    A shelf has places for at most SHELF_BYTES, and all large blocks together have at most the bytes that the
 *           cache was made with or was limited to since; what finds no place is freed for good.
 */

/**
 * Freed blocks of native memory, kept for the next tensor of about their size. Any thread.
 *
 * <p>Contention: threads begin to search at different places, so that two rarely meet at one cache
 * line. What exceeds the bounds goes back to the C library.
 */
final class BlockCache {
  private static final int SMALLEST_SHIFT = 6;
  private static final int LARGEST_SHIFT = 22;

  /** Bytes that the blocks of one size may hold while they are unused. */
  private static final long SHELF_BYTES = 32L << 20;

  /** More than requests are in flight at once where each takes microseconds. */
  private static final int MOST_PLACES = 256;

  /** So far apart that the places at which two threads begin lie on different cache lines. */
  private static final int STRIDE = 16;

  /** Threads with a hint of their own, a power of two: more than there are busy cores, mostly. */
  private static final int HINTS = 16;

  /** Bytes from which blocks are counted. All smaller ones together are less than 8 MiB. */
  private static final long LARGE = 32 << 10;

  /** Bytes that large blocks may hold together while they are unused. */
  private static final long LARGE_BYTES = 64L << 20;

  private final AtomicLong largeFree = new AtomicLong(LARGE_BYTES);

  @GuardedBy("this")
  private long largeLimit = LARGE_BYTES;

  private final Shelf[] shelves = new Shelf[LARGEST_SHIFT - SMALLEST_SHIFT + 1];

  BlockCache() {
    for (int i = 0; i < shelves.length; i++) {
      long places = SHELF_BYTES >> (SMALLEST_SHIFT + i);
      shelves[i] = new Shelf((int) Math.min(MOST_PLACES, places));
    }
  }

  /** Keeps no more large blocks than so many bytes from now on, nor ever more than 64 MiB. */
  synchronized void limit(long bytes) {
    long next = Math.min(bytes, LARGE_BYTES);
    largeFree.addAndGet(next - largeLimit);
    largeLimit = next;
  }

  /** Returns the size of the block that holds so many bytes: at least that, 64 or more. */
  static long blockSize(long bytes) {
    int shift = Math.max(SMALLEST_SHIFT, shift(bytes));
    if (shift > LARGEST_SHIFT) {
      return (bytes + TensorMemory.ALIGNMENT - 1) & -TensorMemory.ALIGNMENT;
    }
    return 1L << shift;
  }

  /** Returns a block of exactly a {@link #blockSize}, or null if none waits. */
  @Nullable MemorySegment take(long blockSize) {
    int shift = shift(blockSize);
    if (shift > LARGEST_SHIFT) {
      return null;
    }
    MemorySegment block = shelves[shift - SMALLEST_SHIFT].take();
    if (block != null && blockSize >= LARGE) {
      largeFree.addAndGet(blockSize);
    }
    return block;
  }

  /** Some block that waits, or null if none does. */
  @Nullable MemorySegment takeAny() {
    for (int i = 0; i < shelves.length; i++) {
      MemorySegment block = take(1L << (SMALLEST_SHIFT + i));
      if (block != null) {
        return block;
      }
    }
    return null;
  }

  /** Takes the block over; false if there is no place for it. */
  boolean put(MemorySegment block) {
    long size = block.byteSize();
    int shift = shift(size);
    if (shift > LARGEST_SHIFT) {
      return false;
    }
    if (size < LARGE) {
      return shelves[shift - SMALLEST_SHIFT].put(block);
    }
    if (largeFree.addAndGet(-size) >= 0 && shelves[shift - SMALLEST_SHIFT].put(block)) {
      return true;
    }
    largeFree.addAndGet(size);
    return false;
  }

  private static int shift(long bytes) {
    return Long.SIZE - Long.numberOfLeadingZeros(Math.max(bytes, 1) - 1);
  }

  /** The places for blocks of one size. */
  private static final class Shelf {
    private final AtomicReferenceArray<@Nullable MemorySegment> places;
    private final int mask;

    /**
     * Hints at which threads begin to search, each on a cache line of its own: the stretch in which
     * the last block was found, counted from the thread's own. Only a hint, so it is read and
     * written without order.
     */
    private final int[] hints = new int[HINTS * STRIDE];

    /**
     * @param places a power of two
     */
    Shelf(int places) {
      this.places = new AtomicReferenceArray<>(places);
      this.mask = places - 1;
    }

    @Nullable MemorySegment take() {
      int own = first();
      int hint = own & (hints.length - 1);
      int first = own + hints[hint];
      for (int i = 0; i <= mask; i++) {
        int place = (first + i) & mask;
        MemorySegment block = places.getPlain(place);
        if (block != null && places.compareAndSet(place, block, null)) {
          if (i >= STRIDE) {
            hints[hint] = (place - own) & mask & -STRIDE;
          }
          return block;
        }
      }
      return null;
    }

    boolean put(MemorySegment block) {
      int first = first();
      for (int i = 0; i <= mask; i++) {
        int place = (first + i) & mask;
        if (places.getPlain(place) == null && places.compareAndSet(place, null, block)) {
          return true;
        }
      }
      return false;
    }

    private static int first() {
      return (int) Thread.currentThread().threadId() * STRIDE;
    }
  }
}
