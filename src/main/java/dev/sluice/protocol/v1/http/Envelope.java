package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;

/** The document around one call, and around its answer. */
public interface Envelope {
  /** The body is the document. */
  Envelope NONE = new Envelope() {};

  /**
   * Returns the document in a body. Any thread.
   *
   * @throws JsonException if the body is not JSON and has to be
   * @throws InferenceException with INVALID_ARGUMENT if it is not the envelope it should be
   */
  default Body open(Body body) {
    return body;
  }

  /** Returns the document inside one that has no rows and no columns, if that is an envelope. */
  default Optional<Body> within(Body document) {
    return Optional.empty();
  }

  /** Returns the error for a document that is not JSON. */
  default InferenceException refuse(JsonException wrong, V1Dialect lead, boolean emptyBody) {
    return lead.refuse(wrong, emptyBody);
  }

  /** Answers with a document. */
  default void answer(HttpExchange exchange, Buffer document) {
    exchange.json(200, document);
  }
}
