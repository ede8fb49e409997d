package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.codec.JsonNumber;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a call, in one pass. Owner of the texts that it has read, until they are built.
 * One thread.
 *
 * @param <C> what the body asks for
 */
abstract class EncoderReader<C extends EncoderCall> implements AutoCloseable {
  private static final int SHOWN = 40;
  private static final int CAPACITY = 1 << 10;

  final JsonCursor in;
  private final TensorBuilder texts = new TensorBuilder(DataType.BYTES, CAPACITY);
  private @Nullable String model;
  private long count;

  EncoderReader(Body json) {
    in = new JsonCursor(json);
  }

  /**
   * Reads the body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  final C read() {
    try {
      members();
    } catch (JsonException e) {
      throw InferenceException.invalid(
          "the body is not JSON at byte %d: %s".formatted(e.offset(), e.getMessage()));
    }
    if (model == null) {
      throw OpenAiError.parameter("model", "missing", "a text");
    }
    return call(model);
  }

  private void members() {
    if (in.peek() != Kind.OBJECT) {
      throw InferenceException.invalid("the body is no JSON object");
    }
    in.beginObject();
    while (in.nextKey()) {
      String name = in.key();
      // Clients send null for what was not said.
      if (in.peek() == Kind.NULL) {
        in.nothing();
      } else if (name.equals("model")) {
        model = text(name);
      } else {
        member(name);
      }
    }
    in.finish();
  }

  /** Reads the value of a member. */
  abstract void member(String name);

  /** Returns what was read, if nothing is missing. */
  abstract C call(String named);

  /** Reads a text, as the next one for the model. */
  final void add(String name, String wanted) {
    if (in.peek() != Kind.STRING) {
      throw wrong(name, wanted);
    }
    in.string().putInto(texts);
    count++;
  }

  /** Refuses texts that come after others. */
  final void requireFirst(String name) {
    if (count > 0) {
      throw OpenAiError.parameter(name, "there twice", "it once");
    }
  }

  /** Returns how many texts were read. */
  final long count() {
    return count;
  }

  /** Returns the texts, now the caller's. */
  final Tensor texts() {
    return texts.build(Shape.of(count));
  }

  final String text(String name) {
    if (in.peek() != Kind.STRING) {
      throw wrong(name, "a text");
    }
    return in.string().toText();
  }

  final boolean flag(String name) {
    if (in.peek() != Kind.TRUE && in.peek() != Kind.FALSE) {
      throw wrong(name, "true or false");
    }
    return in.bool();
  }

  final int count(String name) {
    int from = in.position();
    if (in.peek() == Kind.NUMBER) {
      JsonNumber number = in.number();
      number.dropFraction();
      if (number.isLong() && number.toLong() >= 1 && number.toLong() <= Integer.MAX_VALUE) {
        return (int) number.toLong();
      }
      in.seek(from);
    }
    throw wrong(name, "a whole number from 1 to " + Integer.MAX_VALUE);
  }

  /** Returns the error for a member that is not known. */
  static InferenceException unknown(String name, String call) {
    return InferenceException.invalid("parameter \"" + shown(name) + "\" is not known to " + call);
  }

  /** Returns the error for the next value. */
  final InferenceException wrong(String name, String wanted) {
    int from = in.position();
    String got =
        switch (in.peek()) {
          case OBJECT -> "an object";
          case ARRAY -> "a list";
          default -> {
            in.skipValue();
            yield shown(in.text(from, in.position()).strip());
          }
        };
    return OpenAiError.parameter(name, got, wanted);
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }

  @Override
  public void close() {
    texts.close();
  }
}
