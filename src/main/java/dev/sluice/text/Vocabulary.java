package dev.sluice.text;

import dev.sluice.inference.InferenceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Texts and the numbers that stand for them. A text is cut from its beginning on into the longest
 * pieces that are known. Immutable; any thread.
 */
public final class Vocabulary implements TokenCodec {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> texts;
  private final int longest;
  private final int unknown;
  private final TokenBytes bytes;

  /**
   * @param texts the first stands for 0, the next for 1, and so on; of equal ones the first counts
   * @param unknown which of them stands for what is not among them; empty: that is refused
   * @throws InferenceException if that one is not among them
   */
  public Vocabulary(List<String> texts, Optional<String> unknown) {
    this.texts = List.copyOf(texts);
    int length = 0;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      numbers.putIfAbsent(text, i);
      length = Math.max(length, text.length());
    }
    this.longest = length;
    this.bytes = TokenBytes.of(texts);
    this.unknown = unknown.map(this::numberOfUnknown).orElse(-1);
  }

  private int numberOfUnknown(String text) {
    Integer number = numbers.get(text);
    if (number == null) {
      throw InferenceException.invalid(
          "stream.text.unknown: the vocabulary has no \"" + text + "\"");
    }
    return number;
  }

  @Override
  public long[] encode(String text, boolean around) {
    var pieces = LongStream.builder();
    int at = 0;
    while (at < text.length()) {
      int end = endOfPiece(text, at);
      pieces.add(end == at ? requireUnknown(text, at) : number(text, at, end));
      at = end == at ? text.offsetByCodePoints(at, 1) : end;
    }
    return pieces.build().toArray();
  }

  private int endOfPiece(String text, int from) {
    for (int end = Math.min(text.length(), from + longest); end > from; end--) {
      if (numbers.containsKey(text.substring(from, end))) {
        return end;
      }
    }
    return from;
  }

  private int number(String text, int from, int end) {
    return numbers.getOrDefault(text.substring(from, end), unknown);
  }

  private int requireUnknown(String text, int at) {
    if (unknown < 0) {
      throw InferenceException.invalid(
          "\"%s\", character %d of the text, is not in the model's vocabulary"
              .formatted(Character.toString(text.codePointAt(at)), at));
    }
    return unknown;
  }

  @Override
  public String decode(long[] numbers) {
    var text = new StringBuilder();
    for (long number : numbers) {
      if (number >= 0 && number < texts.size()) {
        text.append(texts.get((int) number));
      }
    }
    return text.toString();
  }

  @Override
  public String spell(long[] numbers) {
    return decode(numbers);
  }

  @Override
  public String name(long token) {
    return texts.get(Math.toIntExact(token));
  }

  @Override
  public long size() {
    return texts.size();
  }

  @Override
  public Optional<TokenBytes> bytes() {
    return Optional.of(bytes);
  }
}
