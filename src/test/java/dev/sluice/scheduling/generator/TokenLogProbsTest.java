package dev.sluice.scheduling.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.scheduling.generator.TokenLogProbs.Ranked;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenLogProbsTest {
  private static Tensor logits(double... values) {
    Tensor tensor = Tensor.allocate(DataType.FP64, Shape.of(1, values.length));
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
    }
    return tensor;
  }

  private static TokenLogProbs of(int token, int most, double... values) {
    try (Tensor logits = logits(values)) {
      return TokenLogProbs.of(logits, 0, values.length, token, most);
    }
  }

  @Test
  void theyAreTheLogarithmsOfTheSoftmax() {
    var random = new Random(7);
    double[] values = DoubleStream.generate(() -> 5 * random.nextGaussian()).limit(300).toArray();
    double sum = DoubleStream.of(values).map(Math::exp).sum();
    TokenLogProbs found = of(17, 20, values);
    assertThat(found.chosen().token()).isEqualTo(17);
    assertThat((double) found.chosen().logProb())
        .isCloseTo(Math.log(Math.exp(values[17]) / sum), within(1e-5));
    List<Integer> likeliest =
        IntStream.range(0, values.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> -values[i]))
            .limit(20)
            .toList();
    assertThat(found.top()).extracting(Ranked::token).containsExactlyElementsOf(likeliest);
    for (Ranked each : found.top()) {
      assertThat((double) each.logProb())
          .isCloseTo(Math.log(Math.exp(values[each.token()]) / sum), within(1e-5));
    }
  }

  @Test
  void amongEqualsTheLowerTokenIsFirst() {
    assertThat(of(0, 2, 1, 3, 3, 3).top()).extracting(Ranked::token).containsExactly(1, 2);
  }

  @Test
  void thereAreNoMoreThanTheModelHas() {
    assertThat(of(0, 20, 1, 2).top()).extracting(Ranked::token).containsExactly(1, 0);
    assertThat(of(1, 0, 1, 2).top()).isEmpty();
  }

  @Test
  void largeLogitsAreNoProblemAndImpossibleTokensHaveANumber() {
    TokenLogProbs found = of(0, 3, 10_000, Double.NEGATIVE_INFINITY, Double.NaN);
    assertThat(found.chosen().logProb()).isZero();
    assertThat(found.top())
        .containsExactly(new Ranked(0, 0), new Ranked(1, -9_999), new Ranked(2, -9_999));
  }
}
