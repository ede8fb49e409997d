package dev.sluice.protocol.openai.encoder;

import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/** Reads the body of a call for the scores of texts. */
final class RerankReader extends EncoderReader<RerankCall> {
  private static final String DOCUMENTS = "documents";

  /** Cohere's; there a lower number comes first. */
  private static final int LOWEST_PRIORITY = 999;

  private static final String WANTED = "a list of texts, or of objects with a text, at least one";

  private @Nullable String query;
  private boolean withTexts;
  private int topN = Integer.MAX_VALUE;

  private RerankReader(Body json) {
    super(json, "rerank");
  }

  /**
   * Reads a body.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT, naming the parameter
   *     that is wrong
   */
  static RerankCall read(Body json) {
    try (var reader = new RerankReader(json)) {
      return reader.read();
    }
  }

  @Override
  void member(String name) {
    switch (name) {
      case "query" -> query = reader.text(name);
      case DOCUMENTS -> documents();
      case "top_n" -> topN = reader.whole(name, 1, Integer.MAX_VALUE);
      case "return_documents" -> withTexts = reader.flag(name);
      // Documents are cut to what the model takes, and are one chunk each.
      case "max_tokens_per_doc", "max_chunks_per_doc" -> reader.whole(name, 1, Integer.MAX_VALUE);
      case "priority" -> reader.whole(name, 0, LOWEST_PRIORITY);
      default -> throw reader.unknown(name);
    }
  }

  private void documents() {
    requireFirst(DOCUMENTS);
    if (in.peek() != Kind.ARRAY) {
      throw reader.wrong(DOCUMENTS, WANTED);
    }
    in.beginArray();
    while (in.nextElement()) {
      if (in.peek() == Kind.OBJECT) {
        object();
      } else {
        add(DOCUMENTS, WANTED);
      }
    }
  }

  private void object() {
    long before = count();
    in.beginObject();
    while (in.nextKey()) {
      if (in.key().equals(EncoderCall.TEXT) && count() == before) {
        add(DOCUMENTS, WANTED);
      } else {
        in.skipValue();
      }
    }
    if (count() == before) {
      throw OpenAiError.parameter(DOCUMENTS, "an object without a text", WANTED);
    }
  }

  @Override
  RerankCall call(String named) {
    if (query == null) {
      throw OpenAiError.parameter("query", "missing", "a text");
    }
    if (count() == 0) {
      throw OpenAiError.parameter(DOCUMENTS, "missing or empty", WANTED);
    }
    return RerankCall.of(named, query, texts(), topN, withTexts);
  }
}
