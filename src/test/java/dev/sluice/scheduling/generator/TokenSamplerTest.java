package dev.sluice.scheduling.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.config.model.GeneratorConfig.Sampling;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenSamplerTest {
  private static Tensor logits(double... values) {
    Tensor tensor = Tensor.allocate(DataType.FP64, Shape.of(1, values.length));
    for (int i = 0; i < values.length; i++) {
      tensor.data().setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
    }
    return tensor;
  }

  private static Sampling greedy(double repetition, double presence, double frequency) {
    return new Sampling(0, 0, 1, Optional.empty(), new Penalties(repetition, presence, frequency));
  }

  /** The first three choices after a prompt of token 0. */
  private static List<Integer> three(Sampling sampling, double... values) {
    var chooser = new TokenSampler(sampling);
    var before = new TokenCounts();
    before.addPrompt(0);
    List<Integer> chosen = new ArrayList<>();
    try (Tensor logits = logits(values)) {
      for (int i = 0; i < 3; i++) {
        int token = chooser.choose(logits, 0, values.length, before);
        before.addChosen(token);
        chosen.add(token);
      }
    }
    return chosen;
  }

  @Test
  void theLargestIsChosenAgainAndAgainWithoutPenalties() {
    assertThat(three(greedy(1, 0, 0), 3, 2, 1)).containsExactly(0, 0, 0);
  }

  @Test
  void aBiasIsAddedToTheLogitOfItsToken() {
    var sampling =
        new Sampling(
            0, 0, 1, 0, Optional.empty(), Penalties.NONE, Map.of(2, 2.5, 0, -100.0, 99, 1.0));
    assertThat(three(sampling, 3, 2, 1)).containsExactly(2, 2, 2);
  }

  @Test
  void tokensLessLikelyThanAPartOfTheLikeliestAreNotSampled() {
    // e^-0.6 = 0.55, e^-0.8 = 0.45
    var sampling = new Sampling(1, 0, 1, 0.5, Optional.of(3L), Penalties.NONE, Map.of());
    var chooser = new TokenSampler(sampling);
    Set<Integer> chosen = new HashSet<>();
    try (Tensor logits = logits(2, 1.4, 1.2, 1.9)) {
      for (int i = 0; i < 1_000; i++) {
        chosen.add(chooser.choose(logits, 0, 4, null));
      }
    }
    assertThat(chosen).containsExactlyInAnyOrder(0, 1, 3);
  }

  @Test
  void repetitionPenaltyDividesWhatIsAboveZeroAndMultipliesWhatIsBelow() {
    // 3 / 2 = 1.5 < 2; then 2 / 2 = 1 < 1.5.
    assertThat(three(greedy(2, 0, 0), 3, 2, 1)).containsExactly(1, 0, 0);
    // -1 * 2 = -2 < -1.5; then -3 < -2.
    assertThat(three(greedy(2, 0, 0), -1, -1.5, -9)).containsExactly(1, 0, 0);
  }

  @Test
  void presencePenaltyHoldsOnceForChosenTokensAndNotForThePrompt() {
    // 3; then 3 - 1.5 = 1.5 < 2; then 2 - 1.5 = 0.5 < 1.5.
    assertThat(three(greedy(1, 1.5, 0), 3, 2, 1)).containsExactly(0, 1, 0);
  }

  @Test
  void frequencyPenaltyGrowsWithEachChoice() {
    // 3; then 3 - 0.75 > 2; then 3 - 1.5 < 2.
    assertThat(three(greedy(1, 0, 0.75), 3, 2, 1)).containsExactly(0, 0, 1);
    assertThat(three(greedy(1, 0, -0.75), 3, 2, 1)).containsExactly(0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1", "3, 1, 1", "0, 0.7, 1", "5, 0.9, 1.3"})
  void oneSeedMakesTheSameChoicesAgain(int topK, double topP, double repetition) {
    var sampling =
        new Sampling(0.9, topK, topP, Optional.of(42L), new Penalties(repetition, 0.1, 0.1));
    List<Integer> first = hundred(sampling);
    assertThat(hundred(sampling)).isEqualTo(first);
    assertThat(first.stream().distinct().count()).isGreaterThan(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "3, 1", "0, 0.99"})
  void tokensAreChosenAsOftenAsTheyAreLikely(int topK, double topP) {
    var chooser =
        new TokenSampler(new Sampling(1, topK, topP, Optional.of(8L), new Penalties(1, 0, 0)));
    var chosen = new int[4];
    try (Tensor logits = logits(Math.log(2), Math.log(5), Math.log(3), -20)) {
      for (int i = 0; i < 20_000; i++) {
        chosen[chooser.choose(logits, 0, 4, null)]++;
      }
    }
    assertThat(chosen[0]).isCloseTo(4_000, within(300));
    assertThat(chosen[1]).isCloseTo(10_000, within(300));
    assertThat(chosen[2]).isCloseTo(6_000, within(300));
    assertThat(chosen[3]).isZero();
  }

  /** A row beside others differs so from what it is alone. */
  @ParameterizedTest
  @CsvSource({"0, 1", "2000, 1", "0, 0.9"})
  void logitsThatDifferInTheirLastDigitsHaveTheSameChoices(int topK, double topP) {
    var random = new Random(5);
    double[] alone = random.doubles(49_152, -10, 10).toArray();
    double[] beside =
        DoubleStream.of(alone).map(logit -> logit + 1e-5 * random.nextGaussian()).toArray();
    var sampling = new Sampling(1, topK, topP, Optional.of(9L), new Penalties(1, 0, 0));
    assertThat(choices(sampling, beside)).isEqualTo(choices(sampling, alone));
  }

  private static List<Integer> choices(Sampling sampling, double... values) {
    var chooser = new TokenSampler(sampling);
    List<Integer> chosen = new ArrayList<>();
    try (Tensor logits = logits(values)) {
      for (int i = 0; i < 200; i++) {
        chosen.add(chooser.choose(logits, 0, values.length, null));
      }
    }
    return chosen;
  }

  private static List<Integer> hundred(Sampling sampling) {
    var chooser = new TokenSampler(sampling);
    var before = new TokenCounts();
    List<Integer> chosen = new ArrayList<>();
    try (Tensor logits = logits(1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)) {
      for (int i = 0; i < 100; i++) {
        int token = chooser.choose(logits, 0, 8, before);
        before.addChosen(token);
        chosen.add(token);
      }
    }
    return chosen;
  }

  @Test
  void everyTokenThatIsChosenIsCountedThoughItWasNotInThePrompt() {
    var before = new TokenCounts();
    for (int token = 0; token < 1_000; token++) {
      before.addChosen(token);
    }
    double[] logits = new double[1_000];
    before.penalise(logits, logits.length, new Penalties(1, 0, 1));
    assertThat(logits).containsOnly(-1);
  }

  @Test
  void everyTokenOfALongTextIsCounted() {
    var before = new TokenCounts();
    for (int token = 0; token < 5_000; token++) {
      before.addPrompt(token * 7);
      before.addChosen(token * 7);
    }
    before.addPrompt(-1);
    double[] logits = new double[35_000];
    before.penalise(logits, logits.length, new Penalties(1, 0, 1));
    for (int token = 0; token < logits.length; token++) {
      assertThat(logits[token]).as("token %d", token).isEqualTo(token % 7 == 0 ? -1 : 0);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 1, 0", "1, 0, 1, 0", "1, 1, 1, 0", "5, 3, 0.9, 0", "1, 0, 0.5, 0.5"})
  void onlyAllowedTokensAreChosenHoweverUnlikely(
      double temperature, int topK, double topP, double minP) {
    var sampling =
        new Sampling(
            temperature, topK, topP, minP, Optional.of(1L), Penalties.NONE, Map.of(0, 50.0));
    var sampler = new TokenSampler(sampling);
    var allowed = new BitSet();
    allowed.set(2);
    allowed.set(4);
    double impossible = Double.NEGATIVE_INFINITY;
    try (Tensor logits = logits(900, 800, -3, 1000, -2);
        Tensor hopeless = logits(1, 2, impossible, Double.NaN, impossible)) {
      for (int i = 0; i < 200; i++) {
        assertThat(sampler.choose(logits, 0, 5, null, allowed)).isIn(2, 4);
        assertThat(sampler.choose(hopeless, 0, 5, null, allowed)).isIn(2, 4);
      }
      assertThat(new TokenSampler(greedy(1, 0, 0)).choose(logits, 0, 5, null, allowed))
          .isEqualTo(4);
    }
  }
}
