package dev.sluice.protocol.openai.encoder;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.Body;

/** Reads the body of a call for embeddings. */
final class EmbeddingReader extends EncoderReader<EmbeddingCall> {
  private static final String INPUT = "input";
  private static final String WANTED =
      "a text or a list of texts, at least one; token ids are not taken";

  private boolean base64;

  /** 0 if it is not said. */
  private int dimensions;

  private EmbeddingReader(Body json) {
    super(json);
  }

  /**
   * Reads a body.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT, naming the parameter
   *     that is wrong
   */
  static EmbeddingCall read(Body json) {
    try (var reader = new EmbeddingReader(json)) {
      return reader.read();
    }
  }

  @Override
  void member(String name) {
    switch (name) {
      case INPUT -> input();
      case "encoding_format" -> base64 = base64(name);
      case "dimensions" -> dimensions = count(name);
      case "user" -> in.skipValue();
      default -> throw unknown(name, "embeddings");
    }
  }

  private void input() {
    requireFirst(INPUT);
    if (in.peek() != Kind.ARRAY) {
      add(INPUT, WANTED);
      return;
    }
    in.beginArray();
    while (in.nextElement()) {
      add(INPUT, WANTED);
    }
  }

  private boolean base64(String name) {
    int from = in.position();
    String format = text(name);
    if (!format.equals("float") && !format.equals("base64")) {
      in.seek(from);
      throw wrong(name, "float or base64");
    }
    return format.equals("base64");
  }

  @Override
  EmbeddingCall call(String named) {
    if (count() == 0) {
      throw OpenAiError.parameter(INPUT, "missing or empty", WANTED);
    }
    return new EmbeddingCall(named, texts(), base64, dimensions);
  }
}
