package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class VocabularyTest {
  private static final List<String> WORDS = List.of("a", "b", "ab", "abc", "é", "😀", "?");

  private final Vocabulary strict = new Vocabulary(WORDS, Optional.empty());
  private final Vocabulary lenient = new Vocabulary(WORDS, Optional.of("?"));

  private static List<Long> encode(Vocabulary vocabulary, String text) {
    return LongStream.of(vocabulary.encode(text)).boxed().toList();
  }

  private static String decode(long... numbers) {
    return new Vocabulary(WORDS, Optional.empty()).decode(numbers);
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
    assertThatThrownBy(() -> strict.encode("ab😀z"))
        .isInstanceOf(InferenceException.class)
        .hasMessage("\"z\", character 4 of the text, is not in the model's vocabulary");
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
