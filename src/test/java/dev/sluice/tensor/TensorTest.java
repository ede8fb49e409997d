package dev.sluice.tensor;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.testing.Tensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorTest {
  private long blocksBefore;
  private long bytesBefore;

  @BeforeEach
  void count() {
    blocksBefore = TensorMemory.openBlocks();
    bytesBefore = TensorMemory.openBytes();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
    assertThat(TensorMemory.openBytes()).isEqualTo(bytesBefore);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"BYTES", "UNSUPPORTED"},
      mode = EnumSource.Mode.EXCLUDE)
  void aTensorHasJustTheBytesThatItsElementsNeed(DataType type) {
    try (Tensor tensor = Tensor.allocate(type, Shape.of(2, 3))) {
      assertThat(tensor.byteSize()).isEqualTo(6L * type.byteSize());
      assertThat(tensor.data().address() % TensorMemory.ALIGNMENT).isZero();
    }
  }

  @Test
  void anEmptyTensorHasNoBytesAndStillHasToBeClosed() {
    try (Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(0, 4))) {
      assertThat(tensor.byteSize()).isZero();
      assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore + 1);
    }
  }

  @Test
  void aClosedTensorRefusesAccessAndMayBeClosedAgain() {
    Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(4));
    tensor.close();
    tensor.close();
    assertThatThrownBy(tensor::data).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void adoptedMemoryIsGivenBackExactlyOnce() {
    var releases = new AtomicInteger();
    MemorySegment foreign = Arena.ofAuto().allocate(Long.BYTES);
    Tensor tensor = Tensor.adopt(DataType.INT64, Shape.SCALAR, foreign, releases::incrementAndGet);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore + 1);
    tensor.close();
    tensor.close();
    assertThat(releases).hasValue(1);
  }

  @Test
  void aBuilderGrowsAndBecomesTheTensorWithoutLosingAnElement() {
    try (var builder = new TensorBuilder(DataType.FP32, 0)) {
      for (int i = 0; i < 10_000; i++) {
        builder.putFloat(i);
      }
      try (Tensor tensor = builder.build(Shape.of(100, 100))) {
        assertThat(tensor.byteSize()).isEqualTo(40_000);
        for (int i = 0; i < 10_000; i++) {
          assertThat(tensor.data().getAtIndex(JAVA_FLOAT, i)).isEqualTo(i);
        }
      }
    }
  }

  @Test
  void aBuilderThatIsNotBuiltFreesItsMemoryAndKeepsItWhenTheShapeDoesNotFit() {
    try (var builder = new TensorBuilder(DataType.INT16, 0)) {
      builder.putShort((short) 1);
      assertThatThrownBy(() -> builder.build(Shape.of(2))).hasMessageContaining("1 elements");
    }
  }

  @Test
  void bytesElementsComeBackInOrderWhateverTheyHold() {
    byte[][] texts = {{}, {0}, {(byte) 0xFF, 0, 'x'}, "grüße".getBytes(UTF_8)};
    try (var builder = new TensorBuilder(DataType.BYTES, 0)) {
      for (byte[] text : texts) {
        builder.putBytes(text, 0, text.length);
      }
      try (Tensor tensor = builder.build(Shape.of(2, 2))) {
        var elements = new BytesElements(tensor);
        for (byte[] text : texts) {
          assertThat(elements.next()).isTrue();
          assertThat(elements.toArray()).isEqualTo(text);
        }
        assertThat(elements.next()).isFalse();
      }
    }
  }

  @Test
  void theOneElementOfABuilderGrows() {
    try (var builder = new TensorBuilder(DataType.BYTES, 0);
        Tensor more = Tensors.texts(Shape.of(1), "grüße")) {
      builder.putBytes("viele ".getBytes(UTF_8), 0, 6);
      builder.extendBytes(more.data(), 4, 7);
      builder.extendBytes(more.data(), 4, 0);
      try (Tensor whole = builder.build(Shape.of(1))) {
        assertThat(whole.byteSize()).isEqualTo(4 + 13);
        assertThat(Tensors.toBytes(whole)).containsExactly("viele grüße".getBytes(UTF_8));
      }
    }
  }
}
