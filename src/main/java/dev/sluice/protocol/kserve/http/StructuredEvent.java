package dev.sluice.protocol.kserve.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.v1.http.Envelope;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * An event whose attributes and document are one JSON object.
 *
 * <p>Content type {@code application/cloudevents+json}, as in section 3.2 of the HTTP protocol
 * binding of CloudEvents 1.0.
 */
final class StructuredEvent implements Envelope {
  /** Attributes that each event has of its own. */
  private static final Set<String> OWN =
      Set.of("specversion", "id", "source", "type", "time", "datacontenttype", "data");

  private final String model;
  private final EventAttributes attributes;
  private Map<String, Body> others = Map.of();

  StructuredEvent(String model, EventAttributes attributes) {
    this.model = model;
    this.attributes = attributes;
  }

  @Override
  public Body open(Body body) {
    EventMembers members = EventMembers.read(body);
    for (String name : EventMembers.REQUIRED) {
      if (!members.values().containsKey(name)) {
        throw CloudEvents.wrong("the event has no '" + name + "'");
      }
    }
    CloudEvents.requireKnown(members.text("specversion").orElse(""));
    if (attributes.merge()) {
      others = members.values();
    }
    return members.data().orElseThrow();
  }

  @Override
  public void answer(HttpExchange exchange, Buffer document) {
    var out = new JsonWriter(document.length() + 256);
    out.raw("{\"specversion\":\"1.0\",\"id\":").string(UUID.randomUUID().toString());
    out.raw(",\"source\":").string(attributes.sourceFor(model));
    out.raw(",\"type\":").string(attributes.type());
    out.raw(",\"time\":").string(Instant.now().toString());
    out.raw(",\"datacontenttype\":\"application/json\"");
    others.forEach((name, value) -> {
      if (!OWN.contains(name)) {
        out.raw(',').string(name).raw(':').raw(value.segment());
      }
    });
    out.raw(",\"data\":").raw(MemorySegment.ofArray(document.getBytes())).raw('}');
    exchange.answer(200, CloudEvents.STRUCTURED, out.toBuffer());
  }
}
