package dev.sluice.tensor;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The C library's allocator, counted, with a cache of freed blocks in front of it.
 *
 * <p>It is used in place of arenas because a tensor is made on one thread and freed on another,
 * thousands of times a second: a shared arena stops every thread when it closes, a confined one
 * refuses to, and one that the collector frees keeps memory for as long as it likes. Any thread may
 * call any method here.
 */
public final class TensorMemory {
  /**
   * Start of every block, in bytes: a cache line, and what both runtimes want in order not to copy.
   */
  static final long ALIGNMENT = 64;

  private static final BlockCache CACHE = new BlockCache();
  private static final LongAdder OPEN_BLOCKS = new LongAdder();
  private static final LongAdder OPEN_BYTES = new LongAdder();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle ALIGNED_ALLOC =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("aligned_alloc"),
          FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FREE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ADDRESS));

  /** Bytes of tensors beyond which nothing is kept in them for later requests. */
  private static volatile long mostToKeepIn = Long.MAX_VALUE;

  private TensorMemory() {}

  /** Blocks allocated and not yet freed, runtime-owned outputs included. For leak checks. */
  public static long openBlocks() {
    return OPEN_BLOCKS.sum();
  }

  /**
   * Keeps no more freed blocks for the next tensors than so many bytes, and than 64 MiB; those of
   * less than 32 KiB are 8 MiB at most, and not among them.
   */
  public static void keepAtMost(long bytes) {
    CACHE.limit(bytes);
  }

  /** Lets tensors be kept for later requests as long as all tensors take no more bytes. */
  public static void keepTensorsBelow(long bytes) {
    mostToKeepIn = bytes;
  }

  /** Returns whether so many bytes of tensors more may be kept for later requests now. */
  public static boolean mayKeep(long bytes) {
    return openBytes() <= mostToKeepIn - bytes;
  }

  /** Frees the blocks that are kept for the next tensors. */
  public static void freeKept() {
    for (MemorySegment block = CACHE.takeAny(); block != null; block = CACHE.takeAny()) {
      freeForGood(block);
    }
  }

  /**
   * Returns where the blocks that {@link #openBlocks} counts were allocated; empty unless the JVM
   * runs in checked mode, with {@code -Dsluice.checked=true}. For leak checks of tests.
   */
  public static List<Throwable> openPlaces() {
    return CheckedMemory.open();
  }

  /** Returns the number of bytes in the blocks that {@link #openBlocks} counts. */
  public static long openBytes() {
    return OPEN_BYTES.sum();
  }

  /**
   * Returns a block of at least this many bytes, with whatever was in them before. It is to be
   * freed as a whole.
   *
   * @throws MemoryExhausted if a request makes it, and the memory budget has not so many bytes free
   */
  static MemorySegment allocate(long bytes) {
    long size = BlockCache.blockSize(bytes);
    MemoryAccount.requireFree(size);
    MemorySegment cached = CACHE.take(size);
    MemorySegment block = cached == null ? allocateNew(size) : cached;
    opened(size);
    return CheckedMemory.ON ? CheckedMemory.allocated(block) : block;
  }

  private static MemorySegment allocateNew(long size) {
    MemorySegment block;
    try {
      block = (MemorySegment) ALIGNED_ALLOC.invokeExact(ALIGNMENT, size);
    } catch (Throwable e) {
      throw new AssertionError("aligned_alloc cannot throw", e);
    }
    if (block.address() == 0) {
      throw new OutOfMemoryError("no native memory for a tensor of " + size + " bytes");
    }
    return block.reinterpret(size);
  }

  static void free(MemorySegment block) {
    MemorySegment unused = CheckedMemory.ON ? CheckedMemory.freed(block) : block;
    closed(unused.byteSize());
    if (!CACHE.put(unused)) {
      freeForGood(unused);
    }
  }

  private static void freeForGood(MemorySegment block) {
    try {
      FREE.invokeExact(block);
    } catch (Throwable e) {
      throw new AssertionError("free cannot throw", e);
    }
  }

  static void opened(long bytes) {
    OPEN_BLOCKS.increment();
    OPEN_BYTES.add(bytes);
  }

  static void closed(long bytes) {
    OPEN_BLOCKS.decrement();
    OPEN_BYTES.add(-bytes);
  }
}
