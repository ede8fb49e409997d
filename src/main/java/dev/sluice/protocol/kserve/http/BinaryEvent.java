package dev.sluice.protocol.kserve.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.protocol.v1.http.Envelope;
import dev.sluice.protocol.v1.http.V1Dialect;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.UUID;

/**
 * An event whose attributes are headers, and its document is the body.
 *
 * <p>Headers {@code ce-*} as in the HTTP protocol binding of CloudEvents 1.0, section 3.1.
 */
final class BinaryEvent implements Envelope {
  private static final String PREFIX = "ce-";

  private final String model;
  private final EventAttributes attributes;

  BinaryEvent(HttpExchange exchange, String model, EventAttributes attributes) {
    this.model = model;
    this.attributes = attributes;
    CloudEvents.requireKnown(String.valueOf(exchange.header("ce-specversion")));
  }

  @Override
  public InferenceException refuse(JsonException wrong, V1Dialect lead, boolean emptyBody) {
    return InferenceException.invalid(
        "Failed to decode or parse binary json cloudevent: "
            + wrong.error().text()
            + " at offset: "
            + wrong.offset());
  }

  @Override
  public void answer(HttpExchange exchange, Buffer document) {
    if (attributes.merge()) {
      exchange.headers(PREFIX).forEach(exchange::putHeader);
    }
    exchange
        .putHeader("ce-specversion", "1.0")
        .putHeader("ce-id", UUID.randomUUID().toString())
        .putHeader("ce-source", attributes.sourceFor(model))
        .putHeader("ce-type", attributes.type())
        .putHeader("ce-time", Instant.now().toString())
        .json(200, document);
  }
}
