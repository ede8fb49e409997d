package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/**
 * Memory that a runtime's library points at. Nothing is checked: the addresses come from the
 * library, never from a request, and the caller knows how long they are valid.
 */
public final class NativeMemory {
  /** The whole address space, so that an address is an offset and nothing is allocated to read. */
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** The alignment that vectorised code in either runtime requires. */
  private static final long ALIGNMENT = 64;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final NativeFunction ALIGNED_ALLOC =
      NativeFunction.at(
          LINKER.defaultLookup().findOrThrow("aligned_alloc"),
          NativeSignature.of(NativeType.POINTER, NativeType.SIZE, NativeType.SIZE));
  private static final NativeFunction FREE =
      NativeFunction.at(
          LINKER.defaultLookup().findOrThrow("free"),
          NativeSignature.of(NativeType.VOID, NativeType.POINTER));

  private NativeMemory() {}

  /** Returns a block for a runtime's library, of at least this many bytes, which are not set. */
  public static long allocate(long bytes) {
    long rounded = Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) & -ALIGNMENT);
    long block = ALIGNED_ALLOC.call(ALIGNMENT, rounded);
    if (block == 0) {
      throw new OutOfMemoryError("no native memory for " + bytes + " bytes");
    }
    return block;
  }

  /** Frees a block of {@link #allocate}. */
  public static void free(long block) {
    FREE.call(block);
  }

  /** Reads eight bytes at a native address, in the machine's order. Unchecked. */
  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  /** Zero-terminated UTF-8. */
  public static String getText(long address) {
    return ALL.getString(address);
  }

  /** Copies from a segment to an address. */
  public static void copyTo(long address, MemorySegment source, long from, long bytes) {
    MemorySegment.copy(source, from, ALL, address, bytes);
  }

  /** Returns the memory at an address, as a segment of a size and of the caller's lifetime. */
  public static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
