package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.Body;

/**
 * Reads the body of a call, in one pass. Owner of the texts that it has read, until they are built.
 * One thread.
 *
 * @param <C> what the body asks for
 */
abstract class EncoderReader<C extends EncoderCall> implements AutoCloseable {
  private static final int CAPACITY = 1 << 10;

  final GenerationReader reader;
  final JsonCursor in;
  private final TensorBuilder texts = new TensorBuilder(DataType.BYTES, CAPACITY);
  private long count;

  /**
   * @param called what the request is called, for errors
   */
  EncoderReader(Body json, String called) {
    reader = new GenerationReader(json, called);
    in = reader.in();
  }

  /**
   * Reads the body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  final C read() {
    reader.read(name -> {
      if (name.equals("model")) {
        reader.common(name);
      } else {
        member(name);
      }
    });
    return call(reader.model());
  }

  /** Reads the value of a member. */
  abstract void member(String name);

  /** Returns what was read, if nothing is missing. */
  abstract C call(String named);

  /** Reads a text, as the next one for the model. */
  final void add(String name, String wanted) {
    if (in.peek() != Kind.STRING) {
      throw reader.wrong(name, wanted);
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

  @Override
  public void close() {
    texts.close();
  }
}
