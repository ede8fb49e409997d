package dev.sluice.scheduling.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.config.model.GeneratorConfig.Sampling;
import dev.sluice.config.model.GeneratorConfig.Stop;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.tensor.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SamplingParametersTest {
  private static final Sampling SETTINGS =
      new Sampling(0.5, 10, 0.9, Optional.of(1L), Penalties.NONE);

  private static ParameterValue whole(long value) {
    return new ParameterValue.Whole(value, false);
  }

  private static Stop atMost(int steps) {
    return new Stop(List.of(), Optional.empty(), steps, Math.min(steps, 7), Duration.ZERO);
  }

  @Test
  void theSettingsHoldForMissingParameters() {
    assertThat(new SamplingParameters(Map.of()).sampling(SETTINGS, Shape.ANY)).isEqualTo(SETTINGS);
    assertThat(new SamplingParameters(Map.of("other", whole(3))).sampling(SETTINGS, Shape.ANY))
        .isEqualTo(SETTINGS);
    assertThat(new SamplingParameters(Map.of()).steps(atMost(7))).isEqualTo(7);
    assertThat(new SamplingParameters(Map.of()).steps(atMost(20))).isEqualTo(7);
  }

  @Test
  void eachParameterReplacesItsSetting() {
    var requested =
        new SamplingParameters(
            Map.of(
                "temperature", new ParameterValue.Fraction(1.5),
                "top_k", whole(3),
                "top_p", whole(1),
                "seed", whole(-4),
                "repetition_penalty", new ParameterValue.Fraction(1.2),
                "presence_penalty", whole(-2),
                "frequency_penalty", new ParameterValue.Fraction(0.5),
                "steps", whole(2)));
    assertThat(requested.sampling(SETTINGS, Shape.ANY))
        .isEqualTo(new Sampling(1.5, 3, 1, Optional.of(-4L), new Penalties(1.2, -2, 0.5)));
    assertThat(requested.steps(atMost(7))).isEqualTo(2);
  }

  @Test
  void noNumberOfLikeliestTokensIsZeroOrAsClientsOfVllmSayMinusOne() {
    for (long none : new long[] {0, -1}) {
      Sampling sampling =
          new SamplingParameters(Map.of("top_k", whole(none))).sampling(SETTINGS, Shape.ANY);
      assertThat(sampling.topK()).isZero();
    }
    var wrong = new SamplingParameters(Map.of("top_k", whole(-2)));
    assertThatThrownBy(() -> wrong.sampling(SETTINGS, Shape.ANY))
        .hasMessage("parameter \"top_k\" is -2; wanted a whole number from -1 to 2147483647");
  }

  @Test
  void theSmallerLimitOfStepsHoldsWhicheverNameItHas() {
    assertThat(new SamplingParameters(Map.of()).wantedSteps()).isZero();
    assertThat(new SamplingParameters(Map.of("steps", whole(5))).wantedSteps()).isEqualTo(5);
    var both = new SamplingParameters(Map.of("steps", whole(5), "max_tokens", whole(9)));
    assertThat(both.wantedSteps()).isEqualTo(5);
    assertThat(both.steps(atMost(20))).isEqualTo(5);
  }

  @Test
  void moreStepsThanTheSettingsAllowAreRefused() {
    assertThatThrownBy(() -> new SamplingParameters(Map.of("steps", whole(8))).steps(atMost(7)))
        .isInstanceOf(InferenceException.class)
        .hasMessage("parameter \"steps\" is 8; wanted a whole number from 1 to 7");
  }

  @Test
  void aWholeNumberMayBeWrittenWithAFraction() {
    var five = new SamplingParameters(Map.of("steps", new ParameterValue.Fraction(5.0)));
    assertThat(five.steps(atMost(7))).isEqualTo(5);
    var between = new SamplingParameters(Map.of("steps", new ParameterValue.Fraction(5.5)));
    assertThatThrownBy(() -> between.steps(atMost(7)))
        .hasMessage("parameter \"steps\" is 5.5; wanted a whole number from 1 to 7");
  }

  @Test
  void aWholeNumberBeyondTheSignedOnesIsNotTakenForANegativeOne() {
    var requested =
        new SamplingParameters(Map.of("presence_penalty", new ParameterValue.Whole(-1, true)));
    assertThatThrownBy(() -> requested.sampling(SETTINGS, Shape.ANY))
        .hasMessage(
            "parameter \"presence_penalty\" is 18446744073709551615; wanted a number from -2 to 2");
  }

  @Test
  void parametersOfAnotherTypeAreRejected() {
    assertThatThrownBy(() ->
            new SamplingParameters(Map.of("temperature", new ParameterValue.Text("hot")))
                .sampling(SETTINGS, Shape.ANY))
        .hasMessage("parameter \"temperature\" is \"hot\"; wanted a number from 0 to 1000");
    assertThatThrownBy(() ->
            new SamplingParameters(Map.of("top_p", new ParameterValue.Fraction(Double.NaN)))
                .sampling(SETTINGS, Shape.ANY))
        .hasMessage("parameter \"top_p\" is NaN; wanted a number from 0 to 1");
    assertThatThrownBy(() ->
            new SamplingParameters(Map.of("repetition_penalty", whole(0)))
                .sampling(SETTINGS, Shape.ANY))
        .hasMessage("parameter \"repetition_penalty\" is 0; wanted a number from 0.01 to 100");
    assertThatThrownBy(() ->
            new SamplingParameters(Map.of("seed", new ParameterValue.Flag(true)))
                .sampling(SETTINGS, Shape.ANY))
        .hasMessageStartingWith("parameter \"seed\" is true; wanted a whole number");
  }

  @Test
  void logProbabilitiesAreWantedOfUpTo20Tokens() {
    assertThat(new SamplingParameters(Map.of()).logProbs()).isEmpty();
    assertThat(new SamplingParameters(Map.of("logprobs", whole(0))).logProbs()).hasValue(0);
    assertThat(new SamplingParameters(Map.of("logprobs", whole(20))).logProbs()).hasValue(20);
    assertThatThrownBy(() -> new SamplingParameters(Map.of("logprobs", whole(21))).logProbs())
        .hasMessage("parameter \"logprobs\" is 21; wanted a whole number from 0 to 20");
  }
}
