package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonParameterValue;
import dev.sluice.protocol.codec.Utf8Bytes;
import dev.sluice.transport.Body;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads what all requests for generated text have in common. One thread. */
public final class GenerationReader extends ParameterReader {
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
      Set.of(
          "user",
          "metadata",
          "store",
          "service_tier",
          "safety_identifier",
          "prompt_cache_key",
          "prompt_cache_options",
          "prompt_cache_retention");

  private final Body body;
  private final String called;
  private final Map<String, ParameterValue> parameters = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();
  private @Nullable String model;
  private int n = 1;
  private int priority;
  private boolean stream;
  private boolean streamOptions;
  private boolean usage;

  /**
   * @param called what the request is called, for errors
   */
  public GenerationReader(Body json, String called) {
    super(new JsonCursor(json));
    this.body = json;
    this.called = called;
  }

  /** Returns the answers that are asked for, to each prompt. */
  public int n() {
    return n;
  }

  /** Returns what goes to the model. */
  public Map<String, ParameterValue> parameters() {
    return parameters;
  }

  /** Returns what goes to the model, with the names that the caller gave it. */
  public CallParameters said() {
    return new CallParameters(priority, parameters, new CallerNames(names));
  }

  /**
   * Notes what the caller calls an input or a parameter of the model.
   *
   * @param name the model's
   */
  public void name(String name, String callers) {
    names.put(name, callers);
  }

  /**
   * Reads a body.
   *
   * @param member reads a member, whose value is next and not null, or leaves it to {@link #common}
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  public void read(Consumer<String> member) {
    long invalid = Utf8Bytes.invalidAt(body.segment());
    if (invalid >= 0) {
      throw InferenceException.invalid("the body is not UTF-8 at byte " + invalid);
    }
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
      case "priority" -> priority = whole(name, 0, Integer.MAX_VALUE);
      case ResponseFormat.NAME ->
          ResponseFormat.read(in).ifPresent(schema -> schema(ResponseFormat.NAME, schema));
      default -> {
        if (IGNORED.contains(name)) {
          in.skipValue();
        } else if (SAMPLING.contains(name)) {
          parameter(name);
          names.remove(name);
        } else {
          throw unknown(name);
        }
      }
    }
  }

  /**
   * Notes the schema of the answer.
   *
   * @param callers what the caller calls it
   */
  public void schema(String callers, ParameterValue schema) {
    parameters.put(ResponseFormat.SCHEMA, schema);
    name(ResponseFormat.SCHEMA, callers);
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

  private void streamOptions() {
    if (in.peek() != Kind.OBJECT) {
      throw wrong("stream_options", "an object");
    }
    streamOptions = true;
    in.beginObject();
    while (in.nextKey()) {
      switch (in.key()) {
        case "include_usage" ->
            usage = in.peek() == Kind.NULL ? nothing() : flag("stream_options.include_usage");
        case "include_obfuscation" -> in.skipValue();
        default ->
            throw OpenAiError.parameter(
                "stream_options", "an object with '" + shown(in.key()) + "'", "include_usage");
      }
    }
  }

  /** Passes over a null: it says no more than a member that is left out. */
  private boolean nothing() {
    in.nothing();
    return false;
  }

  /** Reads a number of answers. */
  public int count(String name) {
    return whole(name, 1, SeveralAnswers.MOST);
  }
}
