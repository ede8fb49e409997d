package dev.sluice.scheduling.generator;

import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.config.model.GeneratorConfig.Sampling;
import dev.sluice.config.model.GeneratorConfig.Stop;
import dev.sluice.inference.BoundedText;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.text.TextParameters;
import dev.sluice.text.constraint.ConstrainedText;
import dev.sluice.text.constraint.Constraints;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sampling parameters of a request, which override those of the settings. Their names are those of
 * the settings.
 *
 * @param parameters by name
 */
record SamplingParameters(Map<String, ParameterValue> parameters) {
  /** Whole numbers up to here are exact as fractions. */
  private static final double EXACT_WHOLE = 1L << 53;

  private static final String LOGPROBS = "logprobs";
  private static final String TOOL_CALLS = "tool_calls";
  private static final String TOKEN_IDS = "token_ids";

  /** As in the interfaces of language models. */
  private static final int MOST_LOGPROBS = 20;

  /** All that a request may say. */
  static final Set<String> NAMES =
      Set.of(
          "temperature",
          "top_k",
          "top_p",
          "min_p",
          "logit_bias",
          "seed",
          "repetition_penalty",
          "presence_penalty",
          "frequency_penalty",
          "ignore_eos",
          "max_tokens",
          "steps",
          SeveralAnswers.PARAMETER);

  /** The same, of a model whose answer is text. */
  static final Set<String> NAMES_WITH_TEXT =
      Stream.concat(
              NAMES.stream(),
              Stream.of(
                  "stop",
                  "chat",
                  TOKEN_IDS,
                  LOGPROBS,
                  TOOL_CALLS,
                  Constraints.Kind.REGEX.parameter(),
                  Constraints.Kind.JSON_SCHEMA.parameter(),
                  Constraints.Kind.TOOLS.parameter(),
                  Constraints.Kind.STRICT_TOOLS.parameter()))
          .collect(Collectors.toUnmodifiableSet());

  private static final double HOTTEST = 1_000;

  /**
   * Returns how this stream's choices are made.
   *
   * @param candidates how many tokens there are to choose from; negative if that is not known
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  Sampling sampling(Sampling settings, long candidates) {
    return parameters.isEmpty()
        ? settings
        : new Sampling(
            decimal("temperature", settings.temperature(), 0, HOTTEST),
            topK(settings.topK()),
            decimal("top_p", settings.topP(), 0, 1),
            decimal("min_p", settings.minP(), 0, 1),
            whole("seed", Long.MIN_VALUE, Long.MAX_VALUE).or(settings::seed),
            penalties(settings.penalties()),
            logitBias(settings, candidates));
  }

  /** Clients of vLLM say -1 for all, and others 0. */
  private int topK(int settings) {
    return Math.max(0, whole("top_k", -1, Integer.MAX_VALUE).map(Long::intValue).orElse(settings));
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
   * @param settings say what is allowed, and what holds without a parameter
   */
  int steps(Stop settings) {
    int most = settings.steps();
    long steps = whole("steps", 1, most).orElse(Long.MAX_VALUE);
    long wanted = Math.min(steps, whole("max_tokens", 1, most).orElse(Long.MAX_VALUE));
    return wanted == Long.MAX_VALUE ? settings.defaultSteps() : (int) wanted;
  }

  /** Returns how many steps are asked for; 0 if the request does not say. */
  long wantedSteps() {
    long most = Long.MAX_VALUE;
    long wanted =
        Math.min(
            whole("max_tokens", 1, Integer.MAX_VALUE).orElse(most),
            whole("steps", 1, Integer.MAX_VALUE).orElse(most));
    return wanted == most ? 0 : wanted;
  }

  /** Returns how many answers to the prompt are wanted. */
  int answers() {
    return whole(SeveralAnswers.PARAMETER, 1, SeveralAnswers.MOST).map(Long::intValue).orElse(1);
  }

  /** Requires that one answer is wanted: several are streams of their own. */
  void requireOneAnswer() {
    if (answers() > 1) {
      throw wanted(
          SeveralAnswers.PARAMETER,
          parameters.get(SeveralAnswers.PARAMETER),
          "1: open a stream for each answer");
    }
  }

  /**
   * Returns how many of the likeliest tokens are wanted with their log-probabilities, beside that
   * of the chosen one; empty if none is.
   */
  OptionalInt logProbs() {
    return whole(LOGPROBS, 0, MOST_LOGPROBS).stream().mapToInt(Long::intValue).findFirst();
  }

  /** Begins a text that is constrained, if the request wants one; the caller's to close. */
  @Nullable ConstrainedText constraint(Constraints constraints) {
    List<Constraints.Kind> wanted =
        Stream.of(Constraints.Kind.values())
            .filter(kind -> parameters.containsKey(kind.parameter()))
            .filter(constraints::haveUseFor)
            .toList();
    if (wanted.size() > 1) {
      throw InferenceException.invalid(
          "parameter \"%s\" is there; wanted no other constraint beside it"
              .formatted(wanted.getLast().parameter()));
    }
    return wanted.isEmpty() ? null : constraint(constraints, wanted.getFirst());
  }

  private ConstrainedText constraint(Constraints constraints, Constraints.Kind kind) {
    ParameterValue given = parameters.get(kind.parameter());
    if (given instanceof ParameterValue.Text(String value)) {
      return constraints.begin(kind, value);
    }
    throw wanted(kind.parameter(), Objects.requireNonNull(given), "a text");
  }

  /** Returns whether tokens that end a stream do not end this one. */
  boolean ignoresStopTokens() {
    return flag("ignore_eos");
  }

  /** Returns whether the text is a conversation. */
  boolean isChat() {
    return flag("chat");
  }

  /** Returns whether the text is a list of tokens. */
  boolean isTokenIds() {
    return flag(TOKEN_IDS);
  }

  /** Returns whether the special tokens that mark tool calls are part of the text. */
  boolean wantsToolCalls() {
    return flag(TOOL_CALLS);
  }

  private boolean flag(String name) {
    return switch (parameters.get(name)) {
      case null -> false;
      case ParameterValue.Flag(boolean value) -> value;
      // A map of grps has no flags.
      case ParameterValue.Whole(long value, boolean _) when value == 0 || value == 1 -> value == 1;
      case ParameterValue other -> throw wanted(name, other, "true or false");
    };
  }

  /** Returns the strings that end the text. */
  List<String> stops() {
    return switch (parameters.get("stop")) {
      case null -> List.of();
      case ParameterValue.Text(String text) ->
          TextParameters.stops(text)
              .orElseThrow(() -> wanted("stop", parameters.get("stop"), TextParameters.STOPS));
      case ParameterValue other -> throw wanted("stop", other, TextParameters.STOPS);
    };
  }

  private Map<Integer, Double> logitBias(Sampling settings, long candidates) {
    return switch (parameters.get("logit_bias")) {
      case null -> settings.logitBias();
      case ParameterValue.Text(String text) ->
          ofCandidates(
              TextParameters.logitBias(text)
                  .orElseThrow(() ->
                      wanted("logit_bias", parameters.get("logit_bias"), TextParameters.BIASES)),
              candidates);
      case ParameterValue other -> throw wanted("logit_bias", other, TextParameters.BIASES);
    };
  }

  private static Map<Integer, Double> ofCandidates(Map<Integer, Double> bias, long candidates) {
    for (int token : bias.keySet()) {
      if (candidates >= 0 && token >= candidates) {
        throw InferenceException.invalid(
            "parameter \"logit_bias\" has token %d; the model has %d tokens, from 0"
                .formatted(token, candidates));
      }
    }
    return bias;
  }

  private Optional<Long> whole(String name, long lowest, long highest) {
    ParameterValue given = parameters.get(name);
    if (given == null) {
      return Optional.empty();
    }
    if (given instanceof ParameterValue.Fraction(double value)
        && value == Math.rint(value)
        && value >= lowest
        && value <= Math.min((double) highest, EXACT_WHOLE)) {
      // 5.0 is a whole number in JSON Schema.
      return Optional.of((long) value);
    }
    if (given instanceof ParameterValue.Whole(long value, boolean unsigned)
        && !(unsigned && value < 0)
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
          // No range here reaches those that are beyond the signed ones.
          case ParameterValue.Whole(long whole, boolean unsigned) ->
              unsigned && whole < 0 ? Double.POSITIVE_INFINITY : whole;
          case ParameterValue.Fraction fraction -> fraction.value();
          case ParameterValue other -> throw wanted(name, other, range(lowest, highest));
        };
    if (!(value >= lowest && value <= highest)) {
      throw wanted(name, parameters.get(name), range(lowest, highest));
    }
    return value;
  }

  private static String range(double lowest, double highest) {
    return "a number from %s to %s".formatted(plain(lowest), plain(highest));
  }

  /** Returns a bound as people write it: 2, not 2.0. */
  private static String plain(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
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
      case ParameterValue.Text text -> '"' + BoundedText.cut(text.value(), 100) + '"';
    };
  }
}
