package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.config.model.GeneratorConfig.Sampling;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sampling parameters of a request, which override those of the settings. Their names are those of
 * the settings.
 *
 * @param parameters by name
 */
record SamplingParameters(Map<String, ParameterValue> parameters) {
  /** All that a request may say. */
  static final Set<String> NAMES =
      Set.of(
          "temperature",
          "top_k",
          "top_p",
          "seed",
          "repetition_penalty",
          "presence_penalty",
          "frequency_penalty",
          "steps");

  private static final double HOTTEST = 1_000;

  /** Returns how this stream's choices are made. */
  Sampling sampling(Sampling settings) {
    return parameters.isEmpty()
        ? settings
        : new Sampling(
            decimal("temperature", settings.temperature(), 0, HOTTEST),
            (int) whole("top_k", 0, Integer.MAX_VALUE).orElse((long) settings.topK()).longValue(),
            decimal("top_p", settings.topP(), 0, 1),
            whole("seed", Long.MIN_VALUE, Long.MAX_VALUE).or(settings::seed),
            penalties(settings.penalties()));
  }

  private Penalties penalties(Penalties settings) {
    return new Penalties(
        decimal(
            "repetition_penalty",
            settings.repetition(),
            Penalties.LEAST_REPETITION,
            Penalties.MOST_REPETITION),
        decimal("presence_penalty", settings.presence(), -Penalties.MOST, Penalties.MOST),
        decimal("frequency_penalty", settings.frequency(), -Penalties.MOST, Penalties.MOST));
  }

  /**
   * Returns how many steps there are at most.
   *
   * @param most what the settings allow, and the value without a parameter
   */
  int steps(int most) {
    return parameters.isEmpty()
        ? most
        : (int) whole("steps", 1, most).orElse((long) most).longValue();
  }

  private Optional<Long> whole(String name, long lowest, long highest) {
    ParameterValue given = parameters.get(name);
    if (given == null) {
      return Optional.empty();
    }
    if (given instanceof ParameterValue.Whole(long value, boolean unsigned)
        && !(unsigned && value < 0 && name.equals("steps"))
        && value >= lowest
        && value <= highest) {
      return Optional.of(value);
    }
    throw wanted(name, given, "a whole number from " + lowest + " to " + highest);
  }

  private double decimal(String name, double otherwise, double lowest, double highest) {
    double value =
        switch (parameters.get(name)) {
          case null -> otherwise;
          case ParameterValue.Whole whole -> whole.value();
          case ParameterValue.Fraction fraction -> fraction.value();
          case ParameterValue other -> throw wanted(name, other, range(lowest, highest));
        };
    if (!(value >= lowest && value <= highest)) {
      throw wanted(name, parameters.get(name), range(lowest, highest));
    }
    return value;
  }

  private static String range(double lowest, double highest) {
    return "a number from %s to %s".formatted(lowest == 0 ? "0" : lowest, highest);
  }

  private static InferenceException wanted(
      String name, @Nullable ParameterValue given, String wanted) {
    return InferenceException.invalid(
        "parameter \"%s\" is %s; wanted %s".formatted(name, shown(given), wanted));
  }

  private static Object shown(@Nullable ParameterValue given) {
    return switch (given) {
      case null -> "missing";
      case ParameterValue.Flag flag -> flag.value();
      case ParameterValue.Whole whole ->
          whole.unsigned() ? Long.toUnsignedString(whole.value()) : whole.value();
      case ParameterValue.Fraction fraction -> fraction.value();
      case ParameterValue.Text text -> '"' + text.value() + '"';
    };
  }
}
