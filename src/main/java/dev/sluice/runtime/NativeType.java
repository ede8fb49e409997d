package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.util.Optional;

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

  /** Returns how the C calling convention passes it; empty for {@link #VOID}. */
  Optional<MemoryLayout> layout() {
    return switch (this) {
      case POINTER, SIZE, INT64 -> Optional.of(JAVA_LONG);
      case INT32 -> Optional.of(JAVA_INT);
      case BOOL -> Optional.of(JAVA_BOOLEAN);
      case VOID -> Optional.empty();
    };
  }
}
