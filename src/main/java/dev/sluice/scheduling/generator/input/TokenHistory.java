package dev.sluice.scheduling.generator.input;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The tokens of a row: those of its prompt, and those that were chosen since. Whatever a model
 * keeps of the row can be computed again from them. One thread at a time.
 */
public final class TokenHistory {
  private static final int LEAST_ROOM = 16;

  private final DataType type;
  private long[] tokens;
  private int length;

  /**
   * @param prompt numbers of a row of tokens; borrowed
   */
  public TokenHistory(Tensor prompt) {
    this.type = prompt.type();
    this.tokens = numbers(prompt);
    this.length = tokens.length;
  }

  /** Returns the elements of a tensor of INT64 or INT32. */
  public static long[] numbers(Tensor tokens) {
    var numbers = new long[Math.toIntExact(tokens.elementCount())];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number(tokens, i);
    }
    return numbers;
  }

  private static long number(Tensor tokens, long index) {
    return tokens.type() == DataType.INT64
        ? tokens.data().getAtIndex(ValueLayout.JAVA_LONG, index)
        : tokens.data().getAtIndex(ValueLayout.JAVA_INT, index);
  }

  /** Adds a token that was chosen. */
  public void add(int token) {
    if (length == tokens.length) {
      tokens = Arrays.copyOf(tokens, length + Math.max(LEAST_ROOM, length / 2));
    }
    tokens[length++] = token;
  }

  /** Returns all of them as a prompt of one row. The caller owns it. */
  public Tensor toPrompt() {
    Tensor prompt = Tensor.allocate(type, Shape.of(1, length));
    for (int i = 0; i < length; i++) {
      if (type == DataType.INT64) {
        prompt.data().setAtIndex(ValueLayout.JAVA_LONG, i, tokens[i]);
      } else {
        prompt.data().setAtIndex(ValueLayout.JAVA_INT, i, (int) tokens[i]);
      }
    }
    return prompt;
  }
}
