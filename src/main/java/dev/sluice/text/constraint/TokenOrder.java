package dev.sluice.text.constraint;

import dev.sluice.text.TokenBytes;
import dev.sluice.text.constraint.CodePoints.Range;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a vocabulary in the order of their bytes, so that those which may follow a state
 * are found in one pass: what tokens begin with is looked at once. Immutable; any thread.
 *
 * <p>In a vocabulary with a token for each byte any text can be said. In another one, characters
 * are said that are tokens themselves. If bytes within characters are tokens, characters are said
 * too whose first byte is one. If not, tokens that are parts of characters are left out: one could
 * not always go on behind them.
 */
final class TokenOrder {
  private final TokenBytes tokens;
  private final int[] order;

  /** How many bytes each token of the order shares with the one before. */
  private final int[] shared;

  private final int longest;

  /** The characters that can be said; null if all can. */
  private final @Nullable CodePoints alphabet;

  TokenOrder(TokenBytes tokens) {
    this.tokens = tokens;
    BitSet single = singleBytes(tokens);
    boolean inParts = canGoOn(single);
    this.alphabet = hasAll(single) ? null : characters(tokens, single);
    this.order =
        IntStream.range(0, tokens.size())
            .filter(token -> !tokens.isSpecial(token) && tokens.length(token) > 0)
            .filter(token -> inParts || text(tokens, token) != null)
            .boxed()
            .sorted((one, other) -> Arrays.compareUnsigned(tokens.of(one), tokens.of(other)))
            .mapToInt(Integer::intValue)
            .toArray();
    this.shared = new int[order.length];
    for (int i = 1; i < order.length; i++) {
      shared[i] = Math.max(0, shared(tokens.of(order[i - 1]), tokens.of(order[i])));
    }
    this.longest = Arrays.stream(order).map(tokens::length).max().orElse(0);
  }

  private static int shared(byte[] one, byte[] other) {
    int mismatch = Arrays.mismatch(one, other);
    return mismatch < 0 ? one.length : mismatch;
  }

  /** Returns the bytes that are tokens. */
  private static BitSet singleBytes(TokenBytes tokens) {
    var found = new BitSet(256);
    for (int token = 0; token < tokens.size(); token++) {
      if (!tokens.isSpecial(token) && tokens.length(token) == 1) {
        found.set(tokens.of(token)[0] & 0xFF);
      }
    }
    return found;
  }

  private static boolean hasAll(BitSet single) {
    // Neither 0xC0 and 0xC1 nor what follows 0xF4 is a byte of UTF-8.
    return single.nextClearBit(0) >= 0xC0 && single.nextClearBit(0xC2) > 0xF4;
  }

  /** Returns whether each byte is a token that may follow the first one of a character. */
  private static boolean canGoOn(BitSet single) {
    return single.nextClearBit(0x80) >= 0xC0;
  }

  private static CodePoints characters(TokenBytes tokens, BitSet single) {
    List<Range> characters = canGoOn(single) ? charactersBehind(single) : new ArrayList<>();
    for (int token = 0; token < tokens.size(); token++) {
      String text = tokens.isSpecial(token) ? null : text(tokens, token);
      if (text != null && text.codePointCount(0, text.length()) == 1) {
        characters.add(new Range(text.codePointAt(0), text.codePointAt(0)));
      }
    }
    return CodePoints.union(characters);
  }

  /** Returns the characters of several bytes the first of which is one of these. */
  private static List<Range> charactersBehind(BitSet first) {
    List<Range> characters = new ArrayList<>();
    for (Range all : CodePoints.ALL.ranges()) {
      // Characters that differ in their last byte alone, which has 6 bits of them.
      for (int from = Math.max(0x80, all.first()); from <= all.last(); from += 64) {
        if (first.get(Character.toString(from).getBytes(StandardCharsets.UTF_8)[0] & 0xFF)) {
          characters.add(new Range(from, from + 63));
        }
      }
    }
    return characters;
  }

  private static @Nullable String text(TokenBytes tokens, int token) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(tokens.of(token));
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException _) {
      return null;
    }
  }

  /** Returns the characters that can be said; empty if all can. */
  Optional<CodePoints> alphabet() {
    return Optional.ofNullable(alphabet);
  }

  /** Returns the number of tokens of the vocabulary. */
  int size() {
    return tokens.size();
  }

  /** Returns the state behind a token; {@link ByteAutomaton#DEAD} if it cannot follow. */
  int step(ByteAutomaton automaton, int from, int token) {
    int state = from;
    for (byte each : tokens.of(token)) {
      if (state == ByteAutomaton.DEAD) {
        return state;
      }
      state = automaton.step(state, each & 0xFF);
    }
    return state;
  }

  /** Returns the tokens that may follow a state. */
  BitSet following(ByteAutomaton automaton, int from) {
    var allowed = new BitSet(tokens.size());
    // By number of bytes, the state behind so many of the last token's, as far as they can follow.
    int[] states = new int[longest + 1];
    states[0] = from;
    int alive = 0;
    for (int i = 0; i < order.length; i++) {
      if (shared[i] > alive) {
        continue;
      }
      int begin = tokens.start(order[i]);
      int length = tokens.length(order[i]);
      alive = shared[i];
      while (alive < length) {
        int state = automaton.step(states[alive], tokens.at(begin + alive));
        if (state == ByteAutomaton.DEAD) {
          break;
        }
        states[++alive] = state;
      }
      allowed.set(order[i], alive == length);
    }
    return allowed;
  }
}
