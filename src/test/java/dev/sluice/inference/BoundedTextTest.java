package dev.sluice.inference;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedTextTest {
  @Test
  void aShortTextStaysAsItIs() {
    assertThat(BoundedText.cut("abc", 3)).isEqualTo("abc");
    assertThat(BoundedText.ofError("line\n\ttab é 漢")).isEqualTo("line\n\ttab é 漢");
  }

  @Test
  void aLongTextKeepsItsBeginningAndItsEnd() {
    assertThat(BoundedText.cut("aaaaaabbbbbbzzz", 9)).isEqualTo("aaaaaa... (6 characters) ...zzz");
  }

  @Test
  void noCharacterIsHalved() {
    String face = "\uD83D\uDE00";
    String cut = BoundedText.cut(face.repeat(10), 10);
    assertThat(cut).isEqualTo(face.repeat(3) + "... (10 characters) ..." + face.repeat(2));
  }

  @Test
  void anErrorIsNoLongerThanTheLimitAndTheWordsBetween() {
    String text = BoundedText.ofError("x".repeat(100_000));
    assertThat(text).contains("... (98001 characters) ...");
    assertThat(text.length()).isLessThan(BoundedText.ERROR_LENGTH + 50);
  }

  @Test
  void whatATerminalObeysIsWrittenOut() {
    assertThat(BoundedText.escape("a\u001b[31mb\u202ec\u2028d\u007f\u0000"))
        .isEqualTo("a\\u001b[31mb\\u202ec\\u2028d\\u007f\\u0000");
  }
}
