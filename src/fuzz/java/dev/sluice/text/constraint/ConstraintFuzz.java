package dev.sluice.text.constraint;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.util.automaton.Automaton;

/** Constraints: compiled, or refused with a text. A JSON schema begins with a brace. */
final class ConstraintFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String source = new String(input, StandardCharsets.UTF_8);
    var _ = Rejection.part(InvalidConstraint.class, () -> states(source));
  }

  /**
   * A few characters ask for thousands of states, whatever their number: what bounds them is the
   * work that {@link Languages} counts, of which a unit makes less than 256 bytes, most of them
   * arrays that grow.
   */
  @Override
  public long freeBytes() {
    return 512L << 20;
  }

  private static int states(String source) {
    var languages = new Languages();
    Automaton language =
        source.startsWith("{")
            ? JsonSchemaCompiler.compile(source, languages)
            : RegexParser.whole(source, languages);
    try (ByteAutomaton bytes = ByteAutomaton.of(language, languages)) {
      return bytes.states();
    }
  }
}
