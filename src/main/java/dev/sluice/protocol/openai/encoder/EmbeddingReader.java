package dev.sluice.protocol.openai.encoder;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.Body;
import java.util.List;

/** Reads the body of a call for embeddings. */
final class EmbeddingReader extends EncoderReader<EmbeddingCall> {
  private static final String INPUT = "input";
  private static final String BASE64 = "base64";
  private static final String WANTED =
      "a text or a list of texts, at least one; token ids are not taken";

  private boolean base64;

  /** 0 if it is not said. */
  private int dimensions;

  private EmbeddingReader(Body json) {
    super(json, "embeddings");
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
      case "encoding_format" ->
          base64 = reader.oneOf(name, List.of("float", BASE64)).equals(BASE64);
      case "dimensions" -> dimensions = reader.whole(name, 1, Integer.MAX_VALUE);
      case "user" -> in.skipValue();
      default -> throw reader.unknown(name);
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

  @Override
  EmbeddingCall call(String named) {
    if (count() == 0) {
      throw OpenAiError.parameter(INPUT, "missing or empty", WANTED);
    }
    return new EmbeddingCall(named, texts(), base64, dimensions);
  }
}
