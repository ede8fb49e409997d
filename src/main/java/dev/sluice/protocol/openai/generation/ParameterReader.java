package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.codec.JsonWriter;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Reads values of parameters. What is not as wanted is refused with INVALID_ARGUMENT, naming the
 * parameter. One thread.
 */
public abstract sealed class ParameterReader permits GenerationReader {
  private static final int SHOWN = 40;

  final JsonCursor in;

  ParameterReader(JsonCursor in) {
    this.in = in;
  }

  /** Returns the body, at the next value. */
  public final JsonCursor in() {
    return in;
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

  static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }

  /** Reads a value; what is wrong with its JSON, such as a number that is too large, names it. */
  static <T> T within(String name, Supplier<T> value) {
    try {
      return value.get();
    } catch (JsonException e) {
      throw InferenceException.invalid(
          "parameter \"%s\" is not JSON at byte %d: %s"
              .formatted(shown(name), e.offset(), e.getMessage()));
    }
  }
}
