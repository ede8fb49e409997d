package dev.sluice.runtime;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
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

  FunctionDescriptor descriptor() {
    MemoryLayout[] layouts =
        parameters.stream().map(type -> type.layout().orElseThrow()).toArray(MemoryLayout[]::new);
    return result
        .layout()
        .map(layout -> FunctionDescriptor.of(layout, layouts))
        .orElseGet(() -> FunctionDescriptor.ofVoid(layouts));
  }
}
