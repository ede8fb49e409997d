package dev.sluice.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of text that are lists or maps. Most protocols have no such values, so that these are
 * texts: JSON. Any thread.
 */
public final class TextParameters {
  /** What a stop parameter may be, for the text of an error. */
  public static final String STOPS = "a text of 1 to 256 characters, or a JSON list of 16 at most";

  /** What a logit bias may be. */
  public static final String BIASES =
      "a JSON object of 1024 tokens at most, each with a number from -100 to 100";

  private static final int MOST_STOPS = 16;
  private static final int LONGEST_STOP = 256;
  private static final int MOST_BIASES = 1_024;

  /** As in the interfaces of language models. */
  private static final double LARGEST_BIAS = 100;

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private TextParameters() {}

  /**
   * Returns the strings that end a text: those of a JSON list of texts, or else the text itself.
   *
   * @return empty if they are not {@link #STOPS}
   */
  public static Optional<List<String>> stops(String text) {
    List<String> stops = list(text);
    boolean wrong = stops.stream().anyMatch(stop -> stop.isEmpty() || stop.length() > LONGEST_STOP);
    return wrong || stops.size() > MOST_STOPS ? Optional.empty() : Optional.of(stops);
  }

  private static List<String> list(String text) {
    JsonNode json = text.startsWith("[") ? read(text) : null;
    if (json == null || !json.isArray()) {
      return List.of(text);
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode each : json) {
      if (!each.isTextual()) {
        return List.of(text);
      }
      texts.add(each.textValue());
    }
    return texts;
  }

  private static @Nullable JsonNode read(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException _) {
      return null;
    }
  }

  /**
   * Returns what is added to the logits of tokens: those of a JSON object.
   *
   * @return empty if it is not {@link #BIASES}
   */
  public static Optional<Map<Integer, Double>> logitBias(String text) {
    JsonNode json = read(text);
    if (json == null || !json.isObject() || json.size() > MOST_BIASES) {
      return Optional.empty();
    }
    Map<Integer, Double> biases = new HashMap<>();
    for (var bias : json.properties()) {
      int token = token(bias.getKey());
      double value = bias.getValue().isNumber() ? bias.getValue().doubleValue() : Double.NaN;
      if (token < 0 || !(Math.abs(value) <= LARGEST_BIAS)) {
        return Optional.empty();
      }
      biases.put(token, value);
    }
    return Optional.of(biases);
  }

  /**
   * Returns tokens: those of a JSON list.
   *
   * @return empty if it is none, or has something else than whole numbers
   */
  public static Optional<long[]> tokenIds(String text) {
    JsonNode json = read(text);
    if (json == null || !json.isArray()) {
      return Optional.empty();
    }
    var tokens = new long[json.size()];
    for (int i = 0; i < tokens.length; i++) {
      JsonNode token = json.get(i);
      if (!token.isIntegralNumber() || !token.canConvertToLong()) {
        return Optional.empty();
      }
      tokens[i] = token.longValue();
    }
    return Optional.of(tokens);
  }

  /** Returns the number of a token; negative if it is none. */
  private static int token(String name) {
    try {
      return Integer.parseInt(name);
    } catch (NumberFormatException _) {
      return -1;
    }
  }
}
