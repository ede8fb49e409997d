package dev.sluice.protocol.kserve.http;

import dev.sluice.protocol.v1.http.Envelope;
import dev.sluice.transport.Body;
import java.util.Optional;

/**
 * A body whose headers speak of no event. It may be a structured one all the same, and is answered
 * without an event then.
 */
final class BareDocument implements Envelope {
  static final BareDocument INSTANCE = new BareDocument();

  private BareDocument() {}

  @Override
  public Optional<Body> within(Body document) {
    EventMembers members = EventMembers.read(document);
    return members.isWhole() ? members.data() : Optional.empty();
  }
}
