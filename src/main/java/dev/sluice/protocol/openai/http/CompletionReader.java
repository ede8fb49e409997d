package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the body of a request for a completion, in one pass. One thread. */
final class CompletionReader {
  /** What the model heeds; names are the same there. */
  private static final Set<String> SAMPLING =
      Set.of(
          "max_tokens",
          "temperature",
          "top_p",
          "top_k",
          "min_p",
          "seed",
          "stop",
          "ignore_eos",
          "json_schema",
          "regex",
          "logprobs",
          "logit_bias",
          "presence_penalty",
          "frequency_penalty",
          "repetition_penalty");

  /** What is for the books of others. */
  private static final Set<String> IGNORED =
      Set.of("user", "metadata", "store", "service_tier", "safety_identifier");

  private static final int SHOWN = 40;
  private static final String PROMPT =
      "a text, or a list of 1 to " + ChoiceRequests.MOST + " texts";

  private final JsonCursor in;
  private final Map<String, ParameterValue> parameters = new HashMap<>();
  private @Nullable String model;
  private List<String> prompts = List.of();
  private int n = 1;

  /** 0 if it is not said. */
  private int bestOf;

  private boolean echo;
  private boolean stream;
  private boolean streamOptions;
  private boolean usage;

  private CompletionReader(Body json) {
    in = new JsonCursor(json);
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static CompletionRequest read(Body json) {
    try {
      return new CompletionReader(json).read();
    } catch (JsonException e) {
      throw InferenceException.invalid(
          "the body is not JSON at byte %d: %s".formatted(e.offset(), e.getMessage()));
    }
  }

  private CompletionRequest read() {
    if (in.peek() != Kind.OBJECT) {
      throw InferenceException.invalid("the body is no JSON object");
    }
    in.beginObject();
    while (in.nextKey()) {
      String name = in.key();
      // Clients send null for what was not said.
      if (in.peek() == Kind.NULL) {
        in.nothing();
      } else {
        member(name);
      }
    }
    in.finish();
    String name = required(model);
    requireConsistent();
    return new CompletionRequest(name, prompts, n, echo, stream, usage, parameters);
  }

  private void requireConsistent() {
    if (streamOptions && !stream) {
      throw OpenAiError.parameter("stream_options", "there", "it with stream: true only");
    }
    if (prompts.isEmpty()) {
      throw OpenAiError.parameter("prompt", "missing", PROMPT);
    }
    if (prompts.size() * n > ChoiceRequests.MOST) {
      throw OpenAiError.parameter(
          "n",
          "%d for each of %d prompts".formatted(n, prompts.size()),
          "%d answers at most together".formatted(ChoiceRequests.MOST));
    }
    if (bestOf != 0 && bestOf != n) {
      throw OpenAiError.parameter(
          "best_of", Integer.toString(bestOf), n + ", as n: all answers are sent");
    }
    if (echo && parameters.containsKey("logprobs")) {
      throw OpenAiError.parameter(
          "echo", "true", "false beside logprobs: tokens of a prompt have none");
    }
  }

  private static String required(@Nullable String model) {
    if (model == null) {
      throw OpenAiError.parameter("model", "missing", "a text");
    }
    return model;
  }

  private void member(String name) {
    switch (name) {
      case "model" -> model = text(name);
      case "prompt" -> prompts = prompts();
      case "stream" -> stream = flag(name);
      case "stream_options" -> streamOptions();
      case "n" -> n = count(name);
      case "best_of" -> bestOf = count(name);
      case "echo" -> echo = flag(name);
      case ResponseFormat.NAME ->
          ResponseFormat.read(in)
              .ifPresent(schema -> parameters.put(ResponseFormat.SCHEMA, schema));
      case "suffix" -> empty(name);
      default -> other(name);
    }
  }

  private void other(String name) {
    if (IGNORED.contains(name)) {
      in.skipValue();
    } else if (SAMPLING.contains(name)) {
      if (name.equals("stop")) {
        requireTexts(name);
      }
      int from = in.position();
      parameters.put(
          name,
          JsonParameterValue.read(name, in)
              .orElseThrow(() -> {
                in.seek(from);
                return wrong(name, "a number, a text or a bool");
              }));
    } else {
      throw InferenceException.invalid(
          "parameter \"" + shown(name) + "\" is not known to completions");
    }
  }

  /** Requires a text or a list of texts; goes back to where it was. */
  private void requireTexts(String name) {
    int from = in.position();
    boolean texts = in.peek() == Kind.STRING;
    if (in.peek() == Kind.ARRAY) {
      texts = true;
      in.beginArray();
      while (in.nextElement()) {
        texts &= in.peek() == Kind.STRING;
        in.skipValue();
      }
    }
    in.seek(from);
    if (!texts) {
      throw wrong(name, "a text, or a list of texts");
    }
  }

  private List<String> prompts() {
    if (in.peek() != Kind.ARRAY) {
      return List.of(text("prompt"));
    }
    int from = in.position();
    List<String> texts = new ArrayList<>();
    in.beginArray();
    while (in.nextElement()) {
      if (in.peek() != Kind.STRING || texts.size() == ChoiceRequests.MOST) {
        in.seek(from);
        throw wrong("prompt", PROMPT);
      }
      texts.add(in.string().toText());
    }
    if (texts.isEmpty()) {
      in.seek(from);
      throw wrong("prompt", PROMPT);
    }
    return texts;
  }

  private void streamOptions() {
    if (in.peek() != Kind.OBJECT) {
      throw wrong("stream_options", "an object");
    }
    streamOptions = true;
    in.beginObject();
    while (in.nextKey()) {
      switch (in.key()) {
        case "include_usage" -> usage = flag("stream_options.include_usage");
        case "include_obfuscation" -> in.skipValue();
        default ->
            throw OpenAiError.parameter(
                "stream_options", "an object with '" + shown(in.key()) + "'", "include_usage");
      }
    }
  }

  private int count(String name) {
    int from = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = in.number();
      if (number.isLong() && number.toLong() >= 1 && number.toLong() <= ChoiceRequests.MOST) {
        return (int) number.toLong();
      }
      in.seek(from);
    }
    throw wrong(name, "a whole number from 1 to " + ChoiceRequests.MOST);
  }

  private void empty(String name) {
    if (!text(name).isEmpty()) {
      throw OpenAiError.parameter(name, "a text", "none: nothing is written between two texts");
    }
  }

  private String text(String name) {
    if (in.peek() != Kind.STRING) {
      throw wrong(name, "a text");
    }
    return in.string().toText();
  }

  private boolean flag(String name) {
    if (in.peek() != Kind.TRUE && in.peek() != Kind.FALSE) {
      throw wrong(name, "true or false");
    }
    return in.bool();
  }

  /** Returns the error for the next value. */
  private InferenceException wrong(String name, String wanted) {
    return switch (in.peek()) {
      case OBJECT, ARRAY -> OpenAiError.parameter(name, kind(), wanted);
      default -> {
        int from = in.position();
        in.skipValue();
        yield OpenAiError.parameter(name, shown(in.text(from, in.position()).strip()), wanted);
      }
    };
  }

  private String kind() {
    return in.peek() == Kind.ARRAY ? "a list" : "an " + in.peek().name().toLowerCase(Locale.ROOT);
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
