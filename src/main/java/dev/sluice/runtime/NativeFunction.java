package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * A C function whose parameters and result are pointers, sizes and integers.
 *
 * <p>All of them pass as 64-bit words. That is right on Linux on x86-64 and AArch64, where each
 * such parameter has a register or a stack slot of 64 bits and the callee looks at the part it
 * knows; of a result narrower than a word, or none, the rest is undefined, and the caller narrows
 * it. Keep instances in static final fields: then a call costs no more than the C call.
 *
 * @param handle takes and returns {@code long}s
 */
public record NativeFunction(MethodHandle handle) {
  private static final Linker LINKER = Linker.nativeLinker();

  /**
   * @param address of the function
   * @param words how many parameters it has
   */
  public static NativeFunction at(MemorySegment address, int words) {
    var parameters = new MemoryLayout[words];
    Arrays.fill(parameters, JAVA_LONG);
    return new NativeFunction(
        LINKER.downcallHandle(address, FunctionDescriptor.of(JAVA_LONG, parameters)));
  }

  public long call() {
    try {
      return (long) handle.invokeExact();
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  public long call(long a) {
    try {
      return (long) handle.invokeExact(a);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  public long call(long a, long b) {
    try {
      return (long) handle.invokeExact(a, b);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  public long call(long a, long b, long c) {
    try {
      return (long) handle.invokeExact(a, b, c);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  public long call(long a, long b, long c, long d) {
    try {
      return (long) handle.invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  public long call(long a, long b, long c, long d, long e) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  public long call(long a, long b, long c, long d, long e, long f, long g) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e, f, g);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e, f, g, h);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  public long call(
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j,
      long k,
      long l) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e, f, g, h, i, j, k, l);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** C functions do not throw; only a wrong number of words does. */
  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a native call failed before it was made", thrown);
  }
}
