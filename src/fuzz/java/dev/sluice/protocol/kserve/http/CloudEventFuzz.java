package dev.sluice.protocol.kserve.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.transport.Body;
import java.util.Optional;

/** CloudEvents in their structured form, around a document of KServe V1. */
final class CloudEventFuzz implements FuzzTarget {
  private static final EventAttributes MERGED =
      new EventAttributes("io.kserve.inference.response", Optional.empty(), true);

  @Override
  public void accept(byte[] input) {
    var event = new StructuredEvent("m", MERGED);
    Body data = Rejection.part(JsonException.class, () -> event.open(Body.of(input)));
    if (data != null && data.length() > input.length) {
      throw new AssertionError("more data than the event has");
    }
  }
}
