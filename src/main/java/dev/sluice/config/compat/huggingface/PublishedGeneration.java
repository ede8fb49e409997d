package dev.sluice.config.compat.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.GeneratorConfig.Penalties;
import dev.sluice.config.model.GeneratorConfig.Sampling;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.StreamSupport;

/**
 * How a published decoder generates text unless a request says otherwise: {@code
 * generation_config.json}, read as transformers does. Without {@code do_sample: true} the most
 * likely token is chosen.
 */
public final class PublishedGeneration {
  static final String FILE = "generation_config.json";

  private static final String END = "eos_token_id";
  private static final double HOTTEST = 1_000;
  private static final int MOST_STEPS = 1 << 24;

  private final JsonNode file;
  private final JsonNode config;

  /**
   * @param file the file's content; nothing if there is none
   * @param config of the model, whose token ends a text if the file names none
   */
  PublishedGeneration(JsonNode file, JsonNode config) {
    this.file = file;
    this.config = config;
  }

  /**
   * Returns how tokens are chosen.
   *
   * @throws ConfigException if a number is out of its range
   */
  public Sampling sampling() {
    boolean sampled = file.path("do_sample").asBoolean();
    return new Sampling(
        sampled ? number("temperature", 1, 0, HOTTEST) : 0,
        sampled ? count("top_k", 0, Integer.MAX_VALUE).orElse(0) : 0,
        sampled ? number("top_p", 1, 0, 1) : 1,
        sampled ? number("min_p", 0, 0, 1) : 0,
        Optional.empty(),
        new Penalties(
            number("repetition_penalty", 1, Penalties.LEAST_REPETITION, Penalties.MOST_REPETITION),
            0,
            0),
        Map.of());
  }

  /**
   * Returns the tokens that end a text; none if the files name none.
   *
   * @param vocabulary how many tokens the model has; negative: unknown
   * @throws ConfigException if they are no tokens, or none of the model's
   */
  public List<Integer> endTokens(long vocabulary) {
    JsonNode tokens = file.hasNonNull(END) ? file.get(END) : config.path(END);
    if (tokens.isMissingNode() || tokens.isNull()) {
      return List.of();
    }
    return tokens.isArray()
        ? StreamSupport.stream(tokens.spliterator(), false)
            .map(token -> token(token, vocabulary))
            .toList()
        : List.of(token(tokens, vocabulary));
  }

  private int token(JsonNode token, long vocabulary) {
    if (!token.isInt() || token.intValue() < 0) {
      throw wrong(END, token, "a token or a list of some");
    }
    if (vocabulary >= 0 && token.intValue() >= vocabulary) {
      throw wrong(END, token, "tokens of the model, from 0 to " + (vocabulary - 1));
    }
    return token.intValue();
  }

  /**
   * Returns how many tokens follow a prompt at most, if the file says so.
   *
   * @throws ConfigException if it is no such number
   */
  public OptionalInt maxNewTokens() {
    return count("max_new_tokens", 1, MOST_STEPS);
  }

  private OptionalInt count(String name, int least, int most) {
    JsonNode count = file.path(name);
    if (count.isMissingNode() || count.isNull()) {
      return OptionalInt.empty();
    }
    if (!count.isInt() || count.intValue() < least || count.intValue() > most) {
      throw wrong(name, count, "a whole number from %d to %d".formatted(least, most));
    }
    return OptionalInt.of(count.intValue());
  }

  private double number(String name, double otherwise, double least, double most) {
    JsonNode number = file.path(name);
    if (number.isMissingNode() || number.isNull()) {
      return otherwise;
    }
    if (!number.isNumber() || !(number.doubleValue() >= least && number.doubleValue() <= most)) {
      throw wrong(name, number, "a number from %s to %s".formatted(least, most));
    }
    return number.doubleValue();
  }

  /** The end may be named by the other file. */
  private ConfigException wrong(String name, JsonNode got, String wanted) {
    String source = file.hasNonNull(name) ? FILE : "config.json";
    return new ConfigException("%s in %s is %s; wanted %s".formatted(name, source, got, wanted));
  }
}
