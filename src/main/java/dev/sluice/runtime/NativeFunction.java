package dev.sluice.runtime;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A C function whose parameters and result are pointers, sizes and integers. Callers pass and get
 * each as a {@code long}, which is cut to the type that the function has. Keep instances in static
 * final fields: then a call costs no more than the C call.
 *
 * @param handle takes and returns {@code long}s
 */
public record NativeFunction(MethodHandle handle) {
  private static final Linker LINKER = Linker.nativeLinker();

  /**
   * Binds a function.
   *
   * @param address of the function
   * @param signature its types; wrong ones make every call undefined
   */
  public static NativeFunction at(MemorySegment address, NativeSignature signature) {
    MethodHandle words = LINKER.downcallHandle(address, signature.descriptor());
    MethodType wide = words.type().changeReturnType(long.class);
    return new NativeFunction(MethodHandles.explicitCastArguments(words, wide));
  }

  /** Calls the function without arguments. */
  public long call() {
    try {
      return (long) handle.invokeExact();
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Calls the function with one argument, an integer or an address. */
  public long call(long a) {
    try {
      return (long) handle.invokeExact(a);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Calls the function with two arguments. */
  public long call(long a, long b) {
    try {
      return (long) handle.invokeExact(a, b);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Calls the function with three arguments. */
  public long call(long a, long b, long c) {
    try {
      return (long) handle.invokeExact(a, b, c);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Calls the function with four arguments. */
  public long call(long a, long b, long c, long d) {
    try {
      return (long) handle.invokeExact(a, b, c, d);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Calls the function with five arguments. */
  public long call(long a, long b, long c, long d, long e) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls the function with seven arguments. */
  public long call(long a, long b, long c, long d, long e, long f, long g) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e, f, g);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls the function with eight arguments. */
  public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) handle.invokeExact(a, b, c, d, e, f, g, h);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** Calls the function with twelve arguments. */
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
