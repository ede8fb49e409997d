package dev.sluice.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamedTextTest {
  /** The end of a text, which says nothing. */
  private static final long SILENT = 256;

  /** A token is a byte. */
  private static final class Bytes implements TokenCodec {
    private int mostDecoded;

    @Override
    public long[] encode(String text, boolean around) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      var tokens = new long[bytes.length];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = bytes[i] & 0xFF;
      }
      return tokens;
    }

    @Override
    public String decode(long[] tokens) {
      mostDecoded = Math.max(mostDecoded, tokens.length);
      var bytes = new byte[tokens.length];
      int count = 0;
      for (long token : tokens) {
        if (token != SILENT) {
          bytes[count++] = (byte) token;
        }
      }
      return new String(bytes, 0, count, StandardCharsets.UTF_8);
    }

    @Override
    public String spell(long[] tokens) {
      return decode(tokens);
    }

    @Override
    public String name(long token) {
      return Long.toString(token);
    }

    @Override
    public long size() {
      return SILENT + 1;
    }
  }

  private final Bytes codec = new Bytes();

  private List<String> pieces(String said, String... stops) {
    var text = new StreamedText(codec::decode, List.of(stops));
    var pieces = new ArrayList<String>();
    for (long token : codec.encode(said)) {
      pieces.add(text.append(token));
      if (text.isStopped()) {
        break;
      }
    }
    pieces.add(text.end());
    pieces.removeIf(String::isEmpty);
    return pieces;
  }

  @Test
  void aCharacterIsSaidWhenItIsWhole() {
    assertThat(pieces("aé你🙂")).containsExactly("a", "é", "你", "🙂");
  }

  @Test
  void bytesThatNeverBecomeACharacterAreShownAsSuchAndWaitNoLongerThanThat() {
    var text = new StreamedText(codec::decode, List.of());
    var said = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      said.append(text.append(0x80));
    }
    assertThat(said.append(text.end())).hasToString("\uFFFD".repeat(1_000));
    assertThat(codec.mostDecoded).isLessThanOrEqualTo(16);
  }

  @Test
  void aLongTextIsNotDecodedAgainWithEachToken() {
    assertThat(String.join("", pieces("word ".repeat(500)))).isEqualTo("word ".repeat(500));
    assertThat(codec.mostDecoded).isLessThanOrEqualTo(3);
  }

  @Test
  void tokensWithoutTextSayNothing() {
    var text = new StreamedText(codec::decode, List.of());
    assertThat(text.append('a')).isEqualTo("a");
    assertThat(text.append(SILENT)).isEmpty();
    assertThat(text.append('b')).isEqualTo("b");
    assertThat(text.end()).isEmpty();
  }

  @Test
  void aStopStringEndsTheTextAndIsNoPartOfIt() {
    assertThat(pieces("one STOP two", "STOP")).containsExactly("o", "n", "e", " ");
  }

  @Test
  void whatMayBecomeAStopStringIsHeldBackUntilItCannot() {
    assertThat(pieces("a STORM", "STOP")).containsExactly("a", " ", "STOR", "M");
    assertThat(pieces("a ST", "STOP")).containsExactly("a", " ", "ST");
    assertThat(pieces("aaab!", "aab")).containsExactly("a");
  }

  @Test
  void theFirstOfSeveralStopStringsCounts() {
    assertThat(String.join("", pieces("a b c d", "c d", "b c"))).isEqualTo("a ");
    assertThat(String.join("", pieces("x🙂y", "🙂"))).isEqualTo("x");
  }

  @Test
  void aTextThatFollowsAnotherHasTheSpaceThatItsDecoderLeavesOutInFrontOfATextAlone() {
    var alone = new StreamedText(tokens -> codec.decode(tokens).stripLeading(), List.of());
    assertThat(alone.append(' ') + alone.append('b')).isEqualTo("b");

    var behind = new StreamedText(tokens -> codec.decode(tokens).stripLeading(), List.of());
    behind.follow(codec.encode("a prompt that is longer"));
    assertThat(behind.append(' ') + behind.append('b')).isEqualTo(" b");
    assertThat(behind.end()).isEmpty();
  }

  @Test
  void aTextBehindHalfACharacterIsWhole() {
    var text = new StreamedText(codec::decode, List.of());
    text.follow(new long[] {'a', 0xE4});
    assertThat(text.append('b')).isEqualTo("b");
  }
}
