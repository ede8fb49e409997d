package dev.sluice.serving.encoder;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;

/**
 * Answers for texts, with the number of each text's tokens. Owner of the answers. One thread at a
 * time.
 */
final class CountedTexts implements EncodedTexts {
  private final EncodedTexts answers;
  private final int[] counts;

  CountedTexts(EncodedTexts answers, long texts) {
    this.answers = answers;
    this.counts = new int[Math.toIntExact(texts)];
  }

  @Override
  public void take(long text, Tensor rows, long row, int length) {
    counts[(int) text] = length;
    answers.take(text, rows, row, length);
  }

  @Override
  public NamedTensor output(String name) {
    if (!name.equals(TextEncoder.TOKENS)) {
      return answers.output(name);
    }
    Tensor tokens = Tensor.allocate(DataType.INT32, Shape.of(counts.length));
    for (int i = 0; i < counts.length; i++) {
      tokens.data().setAtIndex(ValueLayout.JAVA_INT, i, counts[i]);
    }
    return new NamedTensor(name, tokens);
  }

  @Override
  public void close() {
    answers.close();
  }
}
