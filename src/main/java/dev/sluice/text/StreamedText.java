package dev.sluice.text;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Text of tokens that come one by one: whole characters only, and nothing of a stop string. What a
 * token says depends on those before it, so that a few of them are decoded again with each: the
 * work for a token does not grow with the text. One thread at a time.
 */
public final class StreamedText {
  /** What stands for bytes that are no whole character. */
  private static final String INCOMPLETE = "\uFFFD";

  /**
   * Tokens that a character may be waited for: it has 4 bytes at most, and a token one at least.
   * Bytes that never become a character are shown as such then.
   */
  private static final int MOST_WAITING = 8;

  private final Function<long[], String> decoder;
  private final StopTexts stops;

  /** The tokens that were said last, and those that wait. */
  private long[] tokens = {};

  /** How many of them were said. */
  private int said;

  /**
   * @param decoder returns the text of tokens
   * @param stops strings that end the text and are no part of it; none of them empty
   */
  public StreamedText(Function<long[], String> decoder, List<String> stops) {
    this.decoder = decoder;
    this.stops = new StopTexts(List.copyOf(stops));
  }

  /** Returns whether a stop string has ended the text. */
  public boolean isStopped() {
    return stops.isMet();
  }

  /**
   * Has the text go on with that of other tokens, of which it shows nothing: what the first token
   * says depends on them. Many decoders leave out the space in front of a text, which is none in
   * front of a word. Before the first token.
   *
   * @param prompt tokens whose text is before this one; the last few count
   */
  public void follow(long[] prompt) {
    long[] last =
        Arrays.copyOfRange(prompt, Math.max(0, prompt.length - MOST_WAITING), prompt.length);
    // A character that they begin is not theirs alone: it would be cut in two.
    if (!decoder.apply(last).endsWith(INCOMPLETE)) {
      tokens = last;
      said = last.length;
    }
  }

  /** Takes a token, and returns the text that is certain now; often empty. */
  public String append(long token) {
    tokens = Arrays.copyOf(tokens, tokens.length + 1);
    tokens[tokens.length - 1] = token;
    String before = decoder.apply(Arrays.copyOf(tokens, said));
    String whole = decoder.apply(tokens);
    boolean waits = whole.length() <= before.length() || whole.endsWith(INCOMPLETE);
    return waits && tokens.length - said < MOST_WAITING ? "" : stops.pass(say(before, whole));
  }

  /** Returns what was held back, when no more tokens come. */
  public String end() {
    String before = decoder.apply(Arrays.copyOf(tokens, said));
    return stops.pass(say(before, decoder.apply(tokens))) + stops.rest();
  }

  /** Returns what the tokens that wait add to those that were said, which are forgotten. */
  private String say(String before, String whole) {
    tokens = Arrays.copyOfRange(tokens, said, tokens.length);
    said = tokens.length;
    return whole.length() > before.length() ? whole.substring(before.length()) : "";
  }
}
