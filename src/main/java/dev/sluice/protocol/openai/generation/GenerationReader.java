package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.transport.Body;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what all requests for generated text have in common, and values of what one of them has
 * alone. One thread.
 */
public final class GenerationReader {
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
          "logit_bias",
          "presence_penalty",
          "frequency_penalty",
          "repetition_penalty");

  /** What is for the books of others. */
  private static final Set<String> IGNORED =
      Set.of("user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key");

  private static final int SHOWN = 40;

  private final JsonCursor in;
  private final String called;
  private final Map<String, ParameterValue> parameters = new HashMap<>();
  private @Nullable String model;
  private int n = 1;
  private boolean stream;
  private boolean streamOptions;
  private boolean usage;

  /**
   * @param called what the request is called, for errors
   */
  public GenerationReader(Body json, String called) {
    in = new JsonCursor(json);
    this.called = called;
  }

  /** Returns the body, at the next value. */
  public JsonCursor in() {
    return in;
  }

  /** Returns the answers that are asked for, to each prompt. */
  public int n() {
    return n;
  }

  /** Returns what goes to the model. */
  public Map<String, ParameterValue> parameters() {
    return parameters;
  }

  /**
   * Reads a body.
   *
   * @param member reads a member, whose value is next and not null, or leaves it to {@link #common}
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  public void read(Consumer<String> member) {
    try {
      members(member);
    } catch (JsonException e) {
      throw InferenceException.invalid(
          "the body is not JSON at byte %d: %s".formatted(e.offset(), e.getMessage()));
    }
    if (streamOptions && !stream) {
      throw OpenAiError.parameter("stream_options", "there", "it with stream: true only");
    }
  }

  private void members(Consumer<String> member) {
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
        member.accept(name);
      }
    }
    in.finish();
  }

  /**
   * Returns the name of the model that is asked.
   *
   * @throws InferenceException with INVALID_ARGUMENT if there is none
   */
  public String model() {
    if (model == null) {
      throw OpenAiError.parameter("model", "missing", "a text");
    }
    return model;
  }

  /** Returns whether the answer is wanted piece by piece. */
  public boolean stream() {
    return stream;
  }

  /** Returns whether a stream is to end with the numbers of tokens. */
  public boolean usage() {
    return usage;
  }

  /**
   * Reads a member that all requests may have.
   *
   * @throws InferenceException with INVALID_ARGUMENT if they may not
   */
  public void common(String name) {
    switch (name) {
      case "model" -> model = text(name);
      case "stream" -> stream = flag(name);
      case "stream_options" -> streamOptions();
      case "n" -> n = count(name);
      case ResponseFormat.NAME ->
          ResponseFormat.read(in)
              .ifPresent(schema -> parameters.put(ResponseFormat.SCHEMA, schema));
      case "stop" -> {
        requireTexts(name);
        parameter(name);
      }
      default -> {
        if (IGNORED.contains(name)) {
          in.skipValue();
        } else if (SAMPLING.contains(name)) {
          parameter(name);
        } else {
          throw unknown(name);
        }
      }
    }
  }

  /** Returns the error for a member that requests of this kind do not have. */
  public InferenceException unknown(String name) {
    return InferenceException.invalid(
        "parameter \"%s\" is not known to %s".formatted(shown(name), called));
  }

  /** Reads a value for the model. */
  public void parameter(String name) {
    int from = in.position();
    parameters.put(
        name,
        within(name, () -> JsonParameterValue.read(name, in))
            .orElseThrow(() -> {
              in.seek(from);
              return wrong(name, "a number, a text or a bool");
            }));
  }

  /** Reads a value; what is wrong with its JSON, such as a number that is too large, names it. */
  private static <T> T within(String name, Supplier<T> value) {
    try {
      return value.get();
    } catch (JsonException e) {
      throw InferenceException.invalid(
          "parameter \"%s\" is not JSON at byte %d: %s"
              .formatted(shown(name), e.offset(), e.getMessage()));
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

  /** Reads a number of answers. */
  public int count(String name) {
    return whole(name, 1, ChoiceRequests.MOST);
  }

  /** Reads a whole number, as 5.0 is too. */
  public int whole(String name, int lowest, int highest) {
    int from = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = within(name, in::number);
      number.dropFraction();
      if (number.isLong() && number.toLong() >= lowest && number.toLong() <= highest) {
        return (int) number.toLong();
      }
      in.seek(from);
    }
    throw wrong(name, "a whole number from %d to %d".formatted(lowest, highest));
  }

  /** Reads a text. */
  public String text(String name) {
    if (in.peek() != Kind.STRING) {
      throw wrong(name, "a text");
    }
    return in.string().toText();
  }

  /** Reads a flag. */
  public boolean flag(String name) {
    if (in.peek() != Kind.TRUE && in.peek() != Kind.FALSE) {
      throw wrong(name, "true or false");
    }
    return in.bool();
  }

  /** Reads a text that is one of several. */
  public String oneOf(String name, List<String> texts) {
    int from = in.position();
    String text = in.peek() == Kind.STRING ? in.string().toText() : "";
    if (!texts.contains(text)) {
      in.seek(from);
      throw wrong(name, oneOf(texts));
    }
    return text;
  }

  /** Returns a list of alternatives, as people write it. */
  static String oneOf(List<String> texts) {
    int last = texts.size() - 1;
    return last == 0
        ? texts.getFirst()
        : String.join(", ", texts.subList(0, last)) + " or " + texts.get(last);
  }

  /** Returns a value of a kind, as it is written. */
  public String json(String name, Kind kind, String wanted) {
    if (in.peek() != kind) {
      throw wrong(name, wanted);
    }
    int from = in.position();
    in.skipValue();
    return in.text(from, in.position());
  }

  /** Copies a value to another text, as it is written. */
  public JsonWriter copy(JsonWriter out) {
    int from = in.position();
    in.skipValue();
    return out.raw(segment(in.text(from, in.position())));
  }

  /** Returns the bytes of a text, for a writer. */
  public static MemorySegment segment(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the error for the next value. */
  public InferenceException wrong(String name, String wanted) {
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
