package dev.sluice.text.constraint;

import java.util.BitSet;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;

/**
 * What a text may be, in the tokens of one model: which of them may follow a state is found when it
 * is first asked for, and kept for some states. Any thread.
 *
 * <p>Owner: {@link Constraints}, which closes it when no text uses it.
 */
final class Constraint implements AutoCloseable {
  private final ByteAutomaton automaton;
  private final TokenOrder tokens;
  private final TokenMasks masks;

  /**
   * @param language over code points
   * @param languages made it
   * @throws InvalidConstraint if it is too large, or has no text
   */
  Constraint(Automaton language, Languages languages, TokenOrder tokens) {
    this.automaton = ByteAutomaton.of(sayable(language, languages, tokens), languages);
    this.tokens = tokens;
    this.masks = new TokenMasks(automaton.states(), tokens.size());
  }

  private static Automaton sayable(Automaton language, Languages languages, TokenOrder tokens) {
    return tokens
        .alphabet()
        .map(CodePoints::toAutomaton)
        .map(characters -> languages.both(language, Operations.repeat(characters)))
        .orElse(language);
  }

  /** Returns the bytes that it holds. */
  long size() {
    return automaton.size() + masks.size();
  }

  /** Returns the tokens that may follow a state; the caller's. */
  BitSet following(int state) {
    BitSet known = masks.get(state);
    if (known == null) {
      known = tokens.following(automaton, state);
      masks.put(state, known);
    }
    return known;
  }

  /** Returns whether a text may end in a state. */
  boolean accepts(int state) {
    return automaton.accepts(state);
  }

  /** Returns whether a text has to end in a state. */
  boolean isLast(int state) {
    return automaton.isLast(state);
  }

  /** Returns the state behind a token; {@link ByteAutomaton#DEAD} if it may not follow. */
  int step(int state, int token) {
    return tokens.step(automaton, state, token);
  }

  /** Returns the state behind a byte; {@link ByteAutomaton#DEAD} if it may not follow. */
  int stepByte(int state, int value) {
    return automaton.step(state, value);
  }

  @Override
  public void close() {
    automaton.close();
    masks.close();
  }
}
