package dev.sluice.runtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.util.Collections;
import java.util.List;

/**
 * The types of a C function, as its header declares them.
 *
 * @param parameters in their order, none {@link NativeType#VOID}
 */
public record NativeSignature(NativeType result, List<NativeType> parameters) {
  public NativeSignature {
    parameters = List.copyOf(parameters);
  }

  /** A signature of these types. */
  public static NativeSignature of(NativeType result, NativeType... parameters) {
    return new NativeSignature(result, List.of(parameters));
  }

  /**
   * Returns how it is called: every argument as a word of 64 bits. The calling conventions of Linux
   * on x86-64 and aarch64 pass each integer, boolean and address in a register or a slot of the
   * stack of its own, of which the callee reads as many bits as its type has. So functions with as
   * many parameters share one piece of code, which takes some milliseconds to make.
   */
  FunctionDescriptor descriptor() {
    MemoryLayout[] words =
        Collections.nCopies(parameters.size(), JAVA_LONG).toArray(MemoryLayout[]::new);
    return FunctionDescriptor.of(result.resultLayout(), words);
  }
}
