package dev.sluice.testing;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** How much native memory the process holds, as the allocator of glibc counts it. */
public final class NativeHeap {
  // struct mallinfo2 of malloc.h: the caller of a function that returns one allocates all of it.
  private static final StructLayout MALLINFO2 =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("arena"),
          JAVA_LONG.withName("ordblks"),
          JAVA_LONG.withName("smblks"),
          JAVA_LONG.withName("hblks"),
          JAVA_LONG.withName("hblkhd"),
          JAVA_LONG.withName("usmblks"),
          JAVA_LONG.withName("fsmblks"),
          JAVA_LONG.withName("uordblks"),
          JAVA_LONG.withName("fordblks"),
          JAVA_LONG.withName("keepcost"));
  private static final MethodHandle FUNCTION =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("mallinfo2"),
              FunctionDescriptor.of(MALLINFO2));

  private NativeHeap() {}

  /**
   * Returns the bytes that are allocated and not freed. Unlike resident memory it knows neither the
   * Java heap nor freed pages that the allocator keeps; the compilers of the JVM do count.
   */
  public static long allocatedBytes() {
    try (Arena arena = Arena.ofConfined()) {
      var info = (MemorySegment) FUNCTION.invokeExact((SegmentAllocator) arena);
      return read(info, "uordblks") + read(info, "hblkhd");
    } catch (Throwable e) {
      throw new LinkageError("mallinfo2 of glibc 2.33 cannot be called", e);
    }
  }

  private static long read(MemorySegment info, String field) {
    return info.get(JAVA_LONG, MALLINFO2.byteOffset(MemoryLayout.PathElement.groupElement(field)));
  }
}
