package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A generation loop over a step function. A star in a name stands for the same text in both names
 * of a pair.
 *
 * @param feedback outputs of a decode step that are inputs of the next one. A star stands for the
 *     same text in both names. Without {@code feedback} and {@code next}, a decoder in a folder as
 *     Hugging Face has it runs in a loop by the names of its graph and by its files
 * @param next how an input of the next step is chosen from an output
 * @param position input that counts the decode steps, from 0 or from the request's value
 * @param mask input that grows by a one with each decode step
 * @param stop what ends the loop
 * @param emit tensors that each message has; empty: the chosen token, or without {@code next} the
 *     outputs that are not fed back
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
   * @param from output with the logits: [rows, candidates], or with a dimension between them, of
   *     which the last one counts
   * @param to input of the next decode step that takes the chosen token, INT64 or INT32
   * @param as name under which the chosen token is sent
   * @param sampling how it is made
   */
  public record Next(String from, String to, String as, Sampling sampling) {
    static Next read(Section next) {
      return new Next(
          next.text("from", "logits"),
          next.text("to", "input_ids"),
          next.text("as", "token"),
          Sampling.read(next));
    }

    /** Returns the same choice, made in another way. */
    public Next withSampling(Sampling other) {
      return new Next(from, to, as, other);
    }
  }

  /**
   * Sampling: how likely each value is to be chosen.
   *
   * @param temperature divisor of the logits; 0: the most likely token is chosen
   * @param topK number of the most likely tokens that are sampled from; 0: all
   * @param topP probability that the most likely tokens to sample from have together; 1: all
   * @param minP least probability of tokens to sample from, as a part of the likeliest one's; 0:
   *     all
   * @param seed seed of the random numbers of each stream; empty: another one for each
   * @param penalties what makes tokens less likely that were there before
   * @param logitBias numbers that are added to the logits of tokens
   */
  public record Sampling(
      double temperature,
      int topK,
      double topP,
      double minP,
      Optional<Long> seed,
      Penalties penalties,
      Map<Integer, Double> logitBias) {
    private static final double HOTTEST = 1_000;

    public Sampling {
      logitBias = Map.copyOf(logitBias);
    }

    /** Sampling from tokens of any probability, none of them preferred. */
    public Sampling(
        double temperature, int topK, double topP, Optional<Long> seed, Penalties penalties) {
      this(temperature, topK, topP, 0, seed, penalties, Map.of());
    }

    static Sampling read(Section next) {
      return new Sampling(
          next.decimal("temperature", 0, 0, HOTTEST),
          next.number("top_k", 0, 0, Integer.MAX_VALUE),
          next.decimal("top_p", 1, 0, 1),
          next.decimal("min_p", 0, 0, 1),
          next.single("seed", "a whole number from 0", "").map(Setting::version),
          Penalties.read(next),
          Map.of());
    }
  }

  /**
   * Penalties on the logits of tokens that occurred before.
   *
   * @param repetition divisor of the logits of tokens of the prompt and of chosen ones, factor of
   *     those below zero; 1: none
   * @param presence number subtracted from the logits of tokens that were chosen; 0: none
   * @param frequency number subtracted from a token's logit for each time that it was chosen; 0:
   *     none
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
   * Conditions that end a stream; the first to occur does.
   *
   * @param tokens tokens of the model that end the stream; they are sent
   * @param output output that ends the stream when none of its elements is zero
   * @param steps largest number of decode steps
   * @param defaultSteps largest number of decode steps of requests that do not say one; not set: as
   *     many as {@code steps}
   * @param time longest time of a stream, without that for which it is preempted; 0s: no limit
   */
  public record Stop(
      List<Integer> tokens, Optional<String> output, int steps, int defaultSteps, Duration time) {
    private static final int STEPS = 1_024;

    public Stop {
      tokens = List.copyOf(tokens);
    }

    static Stop read(Section stop) {
      List<Integer> tokens =
          stop.list("tokens", List.of(), token -> token.number(0, LARGEST_TOKEN));
      Optional<String> output = stop.text("output");
      int steps = stop.number("steps", STEPS, 1, MOST_STEPS);
      int defaultSteps = stop.number("default_steps", steps, 1, MOST_STEPS);
      if (defaultSteps > steps) {
        throw stop.error("default_steps", "is more than steps, which is " + steps);
      }
      return new Stop(tokens, output, steps, defaultSteps, stop.duration("time", Duration.ZERO));
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

  /** Returns the same for a model whose files are in a folder. */
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
