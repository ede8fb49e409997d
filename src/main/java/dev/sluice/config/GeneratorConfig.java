package dev.sluice.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a step function is run in a loop. A star in a name stands for the same text in both names of
 * a pair.
 *
 * @param feedback which output of a step is which input of the next
 * @param next how an input of the next step is chosen from an output
 * @param position an input that counts the steps
 * @param mask an input that grows by a one with each step
 * @param stop what ends the loop
 * @param emit what each step sends: outputs, or {@link Next#as}; empty: the choice, or without one
 *     the outputs that are not fed back
 * @param text what clients say and get instead of the choice's numbers
 */
public record GeneratorConfig(
    Map<String, String> feedback,
    Optional<Next> next,
    Optional<String> position,
    Optional<String> mask,
    Stop stop,
    List<String> emit,
    Optional<TextConfig> text) {
  private static final int MOST_STEPS = 1 << 24;
  private static final int LARGEST_TOKEN = Integer.MAX_VALUE;

  public GeneratorConfig {
    feedback = Collections.unmodifiableMap(new LinkedHashMap<>(feedback));
    emit = List.copyOf(emit);
  }

  /**
   * A choice among numbers, one for each value that the input may have.
   *
   * @param from the output with the numbers: logits
   * @param to the input
   * @param as under which name the choice is sent
   * @param sampling how it is made
   */
  public record Next(String from, String to, String as, Sampling sampling) {
    static Next read(Section next) {
      return new Next(
          next.text("from").orElse("logits"),
          next.text("to").orElse("input_ids"),
          next.text("as").orElse("token"),
          Sampling.read(next));
    }

    /** The same choice, made in another way. */
    public Next withSampling(Sampling other) {
      return new Next(from, to, as, other);
    }
  }

  /**
   * How likely each value is to be chosen.
   *
   * @param temperature what logits are divided by; 0: the largest is chosen
   * @param topK so many of the likeliest are looked at; 0: all
   * @param topP the likeliest are looked at until they have so much of the probability; 1: all
   * @param seed of the random numbers of each stream; empty: another one each time
   * @param penalties what makes tokens less likely that were there before
   */
  public record Sampling(
      double temperature, int topK, double topP, Optional<Long> seed, Penalties penalties) {
    private static final double HOTTEST = 1_000;

    /** Sampling that does not look at earlier tokens. */
    public Sampling(double temperature, int topK, double topP, Optional<Long> seed) {
      this(temperature, topK, topP, seed, Penalties.NONE);
    }

    static Sampling read(Section next) {
      return new Sampling(
          next.decimal("temperature", 0, 0, HOTTEST),
          next.number("top_k", 0, 0, Integer.MAX_VALUE),
          next.decimal("top_p", 1, 0, 1),
          next.single("seed").map(Setting::version),
          Penalties.read(next));
    }
  }

  /**
   * What makes tokens less likely that were there before, on their logits.
   *
   * @param repetition of tokens of the prompt and of chosen ones: logits above zero are divided by
   *     it, others multiplied; 1: none
   * @param presence what is taken from each token that was chosen; 0: none
   * @param frequency the same for each time that it was chosen; 0: none
   */
  public record Penalties(double repetition, double presence, double frequency) {
    /** Earlier tokens change nothing. */
    public static final Penalties NONE = new Penalties(1, 0, 0);

    public static final double LEAST_REPETITION = 0.01;
    public static final double MOST_REPETITION = 100;

    /** Of presence and frequency, either way, as in the interfaces of language models. */
    public static final double MOST = 2;

    static Penalties read(Section next) {
      return new Penalties(
          next.decimal("repetition_penalty", 1, LEAST_REPETITION, MOST_REPETITION),
          next.decimal("presence_penalty", 0, -MOST, MOST),
          next.decimal("frequency_penalty", 0, -MOST, MOST));
    }
  }

  /**
   * What ends a stream; whatever comes first.
   *
   * @param tokens choices after which nothing follows; they are sent
   * @param output an output that is not zero, in all rows, in the last step
   * @param steps how many there are at most
   * @param time how long there are steps; zero: for ever
   */
  public record Stop(List<Integer> tokens, Optional<String> output, int steps, Duration time) {
    private static final int STEPS = 1_024;

    public Stop {
      tokens = List.copyOf(tokens);
    }

    static Stop read(Section stop) {
      return new Stop(
          stop.list("tokens", List.of(), token -> token.number(0, LARGEST_TOKEN)),
          stop.text("output"),
          stop.number("steps", STEPS, 1, MOST_STEPS),
          stop.duration("time", Duration.ZERO));
    }
  }

  /** Empty if nothing is fed back and nothing chosen: the model is then no step function. */
  static Optional<GeneratorConfig> read(Section stream) {
    Map<String, String> feedback = new LinkedHashMap<>();
    stream
        .value("feedback")
        .map(Setting::named)
        .orElse(Map.of())
        .forEach((output, input) -> feedback.put(output, input.text()));
    Optional<Next> next = stream.value("next").map(found -> found.section().readAll(Next::read));
    var generator =
        new GeneratorConfig(
            feedback,
            next,
            stream.text("position"),
            stream.text("mask"),
            stream.section("stop", Stop::read),
            stream.list("emit", List.of(), Setting::text),
            stream.value("text").map(found -> found.section().readAll(TextConfig::read)));
    if (feedback.isEmpty() && next.isEmpty()) {
      requireNothingElse(stream);
      return Optional.empty();
    }
    if (next.isEmpty() && generator.text.isPresent()) {
      throw stream.error("text", "means nothing without next");
    }
    return Optional.of(generator);
  }

  /** The same for a model whose files are in a folder. */
  GeneratorConfig in(Path folder) {
    return new GeneratorConfig(
        feedback, next, position, mask, stop, emit, text.map(words -> words.in(folder)));
  }

  private static void requireNothingElse(Section stream) {
    for (String key : List.of("position", "mask", "stop", "emit", "text")) {
      if (stream.value(key).isPresent()) {
        throw stream.error(key, "means nothing without feedback or next");
      }
    }
  }
}
