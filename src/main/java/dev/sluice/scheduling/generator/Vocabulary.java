package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Texts and the numbers that stand for them. A text is cut from its beginning on into the longest
 * pieces that are known. Immutable; any thread.
 */
public final class Vocabulary {
  private final Map<String, Integer> numbers = new HashMap<>();
  private final byte[][] texts;
  private final int longest;
  private final int unknown;

  /**
   * @param texts the first stands for 0, the next for 1, and so on; of equal ones the first counts
   * @param unknown which of them stands for what is not among them; empty: that is refused
   * @throws InferenceException if that one is not among them
   */
  public Vocabulary(List<String> texts, Optional<String> unknown) {
    this.texts = new byte[texts.size()][];
    int length = 0;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      this.texts[i] = text.getBytes(StandardCharsets.UTF_8);
      numbers.putIfAbsent(text, i);
      length = Math.max(length, text.length());
    }
    this.longest = length;
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

  /**
   * Returns the numbers of a text: {@code [1, pieces]}, the caller's.
   *
   * @param type INT64 or INT32
   * @throws InferenceException with INVALID_ARGUMENT if a part of it is not known
   */
  Tensor encode(String text, DataType type) {
    try (var pieces =
        new TensorBuilder(type, (long) type.byteSize() * Math.max(1, text.length()))) {
      int at = 0;
      while (at < text.length()) {
        int end = endOfPiece(text, at);
        put(pieces, type, end == at ? requireUnknown(text, at) : number(text, at, end));
        at = end == at ? text.offsetByCodePoints(at, 1) : end;
      }
      return pieces.build(Shape.of(1, pieces.elements()));
    }
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

  private static void put(TensorBuilder pieces, DataType type, int number) {
    if (type == DataType.INT64) {
      pieces.putLong(number);
    } else {
      pieces.putInt(number);
    }
  }

  /**
   * Returns the text of numbers that a model chose, one element: {@code [1]}, the caller's. Numbers
   * without a text say nothing.
   *
   * @param numbers INT64 or INT32, borrowed
   */
  Tensor decode(Tensor numbers) {
    try (var text = new TensorBuilder(DataType.BYTES, Integer.BYTES)) {
      int piece = number(numbers);
      byte[] said = piece >= 0 && piece < texts.length ? texts[piece] : new byte[0];
      text.putBytes(said, 0, said.length);
      return text.build(Shape.of(1));
    }
  }

  private static int number(Tensor numbers) {
    return numbers.type() == DataType.INT64
        ? (int) numbers.data().get(ValueLayout.JAVA_LONG, 0)
        : numbers.data().get(ValueLayout.JAVA_INT, 0);
  }
}
