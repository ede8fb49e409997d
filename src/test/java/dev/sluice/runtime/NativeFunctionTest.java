package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Functions of the C library stand for those of the runtimes. */
final class NativeFunctionTest {
  private static NativeFunction function(String name, NativeSignature signature) {
    return NativeFunction.at(Linker.nativeLinker().defaultLookup().findOrThrow(name), signature);
  }

  @Test
  void theSignOfA32BitResultIsKept() {
    NativeFunction parse =
        function("atoi", NativeSignature.of(NativeType.INT32, NativeType.POINTER));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom("-7");
      assertThat(parse.call(text.address())).isEqualTo(-7);
    }
  }

  @Test
  void anArgumentIsCutToItsType() {
    NativeFunction absolute =
        function("abs", NativeSignature.of(NativeType.INT32, NativeType.INT32));
    assertThat(absolute.call(-5)).isEqualTo(5);
    assertThat(absolute.call(0x7_0000_0003L)).isEqualTo(3);
  }

  @Test
  void a64BitResultIsWhole() {
    NativeFunction absolute =
        function("labs", NativeSignature.of(NativeType.INT64, NativeType.INT64));
    assertThat(absolute.call(Long.MIN_VALUE + 1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aFunctionWithoutResultDoesItsWork() {
    NativeFunction clear =
        function("bzero", NativeSignature.of(NativeType.VOID, NativeType.POINTER, NativeType.SIZE));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom("abc");
      clear.call(text.address(), 2);
      assertThat(text.toArray(ValueLayout.JAVA_BYTE)).containsExactly(0, 0, 'c', 0);
    }
  }
}
