package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;

/** A type of C that a {@link NativeFunction} takes or returns. */
public enum NativeType {
  /** The address of anything, as a number: what lies there, the callee and its caller know. */
  POINTER,
  /** A {@code size_t}. */
  SIZE,
  INT64,
  /** An {@code int}, {@code int32_t} or {@code uint32_t}, or an enumeration. */
  INT32,
  BOOL,
  /** No result. */
  VOID;

  /**
   * Returns which part of the register of a result is to be read. The rest of it is undefined, and
   * so is all of it after a function without a result.
   */
  MemoryLayout resultLayout() {
    return switch (this) {
      case POINTER, SIZE, INT64, VOID -> JAVA_LONG;
      case INT32 -> JAVA_INT;
      case BOOL -> JAVA_BOOLEAN;
    };
  }
}
