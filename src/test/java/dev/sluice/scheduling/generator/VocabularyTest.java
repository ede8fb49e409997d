package dev.sluice.scheduling.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VocabularyTest {
  private static final List<String> WORDS = List.of("a", "b", "ab", "abc", "é", "😀", "?");

  private final Vocabulary strict = new Vocabulary(WORDS, Optional.empty());
  private final Vocabulary lenient = new Vocabulary(WORDS, Optional.of("?"));

  private static List<Long> encode(Vocabulary vocabulary, String text) {
    try (Tensor pieces = vocabulary.encode(text, DataType.INT64)) {
      assertThat(pieces.shape()).isEqualTo(Shape.of(1, pieces.elementCount()));
      return IntStream.range(0, (int) pieces.elementCount())
          .mapToObj(i -> pieces.data().getAtIndex(ValueLayout.JAVA_LONG, i))
          .toList();
    }
  }

  private static String decode(long number) {
    try (Tensor chosen = Tensor.allocate(DataType.INT64, Shape.of(1, 1))) {
      chosen.data().set(ValueLayout.JAVA_LONG, 0, number);
      try (Tensor text = new Vocabulary(WORDS, Optional.empty()).decode(chosen)) {
        assertThat(text.shape()).isEqualTo(Shape.of(1));
        var elements = new BytesElements(text);
        assertThat(elements.next()).isTrue();
        return elements.toText();
      }
    }
  }

  @Test
  void theLongestPieceThatIsKnownIsTaken() {
    assertThat(encode(strict, "abcabab")).containsExactly(3L, 2L, 2L);
    assertThat(encode(strict, "ba😀é")).containsExactly(1L, 0L, 5L, 4L);
  }

  @Test
  void anEmptyTextHasNoPieces() {
    assertThat(encode(strict, "")).isEmpty();
  }

  @Test
  void whatIsNotKnownIsRefusedWithItsPlace() {
    long blocks = TensorMemory.openBlocks();
    assertThatThrownBy(() -> strict.encode("ab😀z", DataType.INT64))
        .isInstanceOf(InferenceException.class)
        .hasMessage("\"z\", character 4 of the text, is not in the model's vocabulary");
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocks);
  }

  @Test
  void orStandsForTheUnknown() {
    assertThat(encode(lenient, "a😁b")).containsExactly(0L, 6L, 1L);
  }

  @Test
  void theUnknownMustBeKnown() {
    assertThatThrownBy(() -> new Vocabulary(WORDS, Optional.of("z")))
        .hasMessage("stream.text.unknown: the vocabulary has no \"z\"");
  }

  @Test
  void eachNumberHasItsText() {
    assertThat(decode(3)).isEqualTo("abc");
    assertThat(decode(5)).isEqualTo("😀");
  }

  @Test
  void aNumberWithoutATextSaysNothing() {
    assertThat(decode(WORDS.size())).isEmpty();
  }
}
