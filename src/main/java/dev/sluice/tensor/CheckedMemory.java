package dev.sluice.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Checked mode of tensors' native memory, in which tests run: {@code -Dsluice.checked=true}.
 *
 * <p>Use after free: each block is a segment of an arena of its own, so that any view of it throws
 * once it is freed; a tensor that is closed names the places where it was allocated and freed.
 * Double free: throws, with both places. Leaks: {@link #open} has the place of each allocation. Any
 * thread.
 */
final class CheckedMemory {
  /** True in checked mode; constant, so that otherwise nothing of it is left in compiled code. */
  static final boolean ON = Boolean.getBoolean("sluice.checked");

  /** Blocks whose end is remembered; beyond it all are forgotten. */
  private static final int FREED_MAX = 10_000;

  private static final Map<Long, Lifetime> BLOCKS = new ConcurrentHashMap<>();
  private static final Map<Long, Lifetime> FREED = new ConcurrentHashMap<>();
  private static final Set<Lifetime> OPEN = ConcurrentHashMap.newKeySet();

  private CheckedMemory() {}

  /** Returns a block as a segment that ends with {@link #freed}. */
  static MemorySegment allocated(MemorySegment block) {
    var lifetime = new Lifetime(block, CheckedMemory::nothing);
    FREED.remove(block.address());
    BLOCKS.put(block.address(), lifetime);
    return lifetime.memory();
  }

  /**
   * Ends a block of {@link #allocated}, and returns it as it was given there.
   *
   * @throws IllegalStateException if it is not open
   */
  static MemorySegment freed(MemorySegment block) {
    Lifetime lifetime = BLOCKS.remove(block.address());
    if (lifetime == null) {
      throw new IllegalStateException("double free of " + block, cause(block, null));
    }
    if (FREED.size() >= FREED_MAX) {
      FREED.clear();
    }
    FREED.put(block.address(), lifetime);
    lifetime.run();
    return lifetime.raw;
  }

  /**
   * Returns the places at which memory was allocated and freed, as far as they are known.
   *
   * @param release what freed it, if it was adopted
   */
  static @Nullable Throwable cause(MemorySegment block, @Nullable Runnable release) {
    Lifetime lifetime = release instanceof Lifetime own ? own : FREED.get(block.address());
    return lifetime == null ? null : lifetime.allocated;
  }

  /** Returns the places at which what is open now was allocated or adopted. */
  static List<Throwable> open() {
    return OPEN.stream().map(lifetime -> lifetime.allocated).toList();
  }

  private static void nothing() {
    // The block returns to the allocator.
  }

  /** Place in the code that an error names. */
  private static final class Place extends Exception {
    private static final long serialVersionUID = 1L;

    Place(String what) {
      super(what + " by " + Thread.currentThread().getName());
    }
  }

  /** The time from a block's allocation to its one free. Running it ends it. */
  static final class Lifetime implements Runnable {
    private final MemorySegment raw;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final Runnable release;
    private final Throwable allocated;

    /**
     * @param raw memory that is valid until {@code release} has run
     */
    Lifetime(MemorySegment raw, Runnable release) {
      this.raw = raw;
      this.memory = raw.reinterpret(raw.byteSize(), arena, null);
      this.release = release;
      this.allocated = new Place("allocated, " + raw.byteSize() + " bytes,");
      OPEN.add(this);
    }

    /** Returns the memory, as a segment that ends with it. */
    MemorySegment memory() {
      return memory;
    }

    /**
     * Ends it.
     *
     * @throws IllegalStateException if it has ended before
     */
    @Override
    public void run() {
      if (!OPEN.remove(this)) {
        throw new IllegalStateException("double free of " + raw, allocated);
      }
      allocated.addSuppressed(new Place("freed"));
      arena.close();
      release.run();
    }
  }
}
