package dev.sluice.text.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Random expressions and texts: the automaton takes what the JDK's expressions match. */
class RegexLanguageTest {
  private static final String[] CHARACTERS = {"a", "b", "-", "\n", "7", "é", "世", "😀"};
  private static final String[] ATOMS = {
    "a", "b", "7", "é", "世", "😀", ".", "\\d", "\\w", "\\W", "\\S", "[ab]", "[^a]", "[a-é]",
    "[^b世]", "[\\d-]", "\\-", "\\x61", "\\u4e16", "\\n"
  };
  private static final String[] COUNTS = {
    "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?"
  };

  private static String one(Random random, String... of) {
    return of[random.nextInt(of.length)];
  }

  private static String regex(Random random, int depth) {
    var regex = new StringBuilder();
    int choices = 1 + random.nextInt(depth == 0 ? 1 : 3);
    for (int choice = 0; choice < choices; choice++) {
      regex.append(choice == 0 ? "" : "|");
      for (int part = random.nextInt(4); part > 0; part--) {
        boolean group = depth > 0 && random.nextInt(3) == 0;
        regex.append(
            group ? one(random, "(", "(?:") + regex(random, depth - 1) + ")" : one(random, ATOMS));
        regex.append(random.nextInt(3) == 0 ? one(random, COUNTS) : "");
      }
    }
    return regex.toString();
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    for (int length = random.nextInt(7); length > 0; length--) {
      text.append(one(random, CHARACTERS));
    }
    return text.toString();
  }

  private static boolean accepts(ByteAutomaton automaton, String text) {
    int state = ByteAutomaton.START;
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      state = automaton.step(state, each & 0xFF);
      if (state == ByteAutomaton.DEAD) {
        return false;
      }
    }
    return automaton.accepts(state);
  }

  @Test
  void theSameTextsMatch() {
    var random = new Random(7);
    int taken = 0;
    int matched = 0;
    for (int i = 0; i < 300; i++) {
      String regex = regex(random, 2);
      Pattern pattern = Pattern.compile(regex);
      var languages = new Languages();
      try (var automaton = ByteAutomaton.of(RegexParser.whole(regex, languages), languages)) {
        for (int j = 0; j < 60; j++) {
          String text = text(random);
          boolean matches = pattern.matcher(text).matches();
          assertThat(accepts(automaton, text)).as("%s by %s", text, regex).isEqualTo(matches);
          matched += matches ? 1 : 0;
        }
        taken++;
      } catch (InvalidConstraint e) {
        assertThat(e).hasMessageContaining("is too");
      }
    }
    assertThat(taken).isGreaterThan(285);
    assertThat(matched).as("texts that matched").isGreaterThan(500);
  }
}
