package dev.sluice.runtime.isolation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Memory that the server and one model's process have mapped: the inputs or the outputs of a run.
 *
 * <p>Owner: the {@link RegionPool}, until a run takes it; then the run and every output tensor that
 * lies in it. The last of them gives it back, on any thread.
 *
 * <p>Reference count: a region is reused when the last tensor in it was closed. Any thread.
 */
final class SharedRegion {
  /** Start of every tensor in a region, in bytes: what both runtimes want in order not to copy. */
  static final long ALIGNMENT = 64;

  private final int number;
  private final Arena arena;
  private final MemorySegment memory;
  private final Consumer<SharedRegion> unused;
  private final AtomicInteger users = new AtomicInteger();

  /**
   * @param number by which both processes call it
   * @param arena what holds the mapping
   * @param unused takes it back
   */
  SharedRegion(int number, Arena arena, MemorySegment memory, Consumer<SharedRegion> unused) {
    this.number = number;
    this.arena = arena;
    this.memory = memory;
    this.unused = unused;
  }

  int number() {
    return number;
  }

  long byteSize() {
    return memory.byteSize();
  }

  MemorySegment memory() {
    return memory;
  }

  /** Returns the next place where a tensor may begin. */
  static long align(long offset) {
    return Math.addExact(offset, ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Returns the offset of an address in the region; -1 if it is outside. */
  long offsetOf(MemorySegment data) {
    long offset = data.address() - memory.address();
    return offset >= 0 && offset + data.byteSize() <= memory.byteSize() ? offset : -1;
  }

  void retain() {
    users.incrementAndGet();
  }

  void release() {
    if (users.decrementAndGet() == 0) {
      unused.accept(this);
    }
  }

  /** Unmaps it. */
  void unmap() {
    arena.close();
  }
}
