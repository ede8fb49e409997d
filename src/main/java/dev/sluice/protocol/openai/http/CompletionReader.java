package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.transport.Body;
import java.util.HashMap;
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
          "logprobs",
          "logit_bias",
          "presence_penalty",
          "frequency_penalty",
          "repetition_penalty");

  /** What is for the books of others. */
  private static final Set<String> IGNORED =
      Set.of("user", "metadata", "store", "service_tier", "safety_identifier");

  private static final int SHOWN = 40;

  private final JsonCursor in;
  private final Map<String, ParameterValue> parameters = new HashMap<>();
  private @Nullable String model;
  private @Nullable String prompt;
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
    if (streamOptions && !stream) {
      throw OpenAiError.parameter("stream_options", "there", "it with stream: true only");
    }
    return new CompletionRequest(
        required("model", model), required("prompt", prompt), stream, usage, parameters);
  }

  private static String required(String name, @Nullable String value) {
    if (value == null) {
      throw OpenAiError.parameter(name, "missing", "a text");
    }
    return value;
  }

  private void member(String name) {
    switch (name) {
      case "model" -> model = text(name);
      case "prompt" -> prompt = prompt();
      case "stream" -> stream = flag(name);
      case "stream_options" -> streamOptions();
      case "n", "best_of" -> one(name);
      case "echo" -> off(name);
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

  private String prompt() {
    if (in.peek() != Kind.ARRAY) {
      return text("prompt");
    }
    int from = in.position();
    in.beginArray();
    if (!in.nextElement() || in.peek() != Kind.STRING) {
      in.seek(from);
      throw wrong("prompt", "a text, or a list of one");
    }
    String only = in.string().toText();
    if (in.nextElement()) {
      throw OpenAiError.parameter("prompt", "a list of several", "a text, or a list of one");
    }
    return only;
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

  private void one(String name) {
    int from = in.position();
    boolean isOne = in.peek() == Kind.NUMBER && in.number().toText().equals("1");
    if (!isOne) {
      in.seek(from);
      throw wrong(name, "1");
    }
  }

  private void off(String name) {
    if (flag(name)) {
      throw OpenAiError.parameter(name, "true", "false");
    }
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
