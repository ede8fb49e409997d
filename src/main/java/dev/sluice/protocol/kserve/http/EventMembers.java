package dev.sluice.protocol.kserve.http;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.transport.Body;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The members of a structured event and the text of each. Borrows the body.
 *
 * @param values by name, in the order they came; the first of several counts
 */
record EventMembers(Map<String, Body> values) {
  /** Attributes that every event has. */
  static final List<String> REQUIRED = List.of("specversion", "id", "source", "type", "data");

  private static final String DATA = "data";

  /**
   * Finds the members.
   *
   * @throws dev.sluice.protocol.codec.JsonException if the body is not JSON
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if it is no object
   */
  static EventMembers read(Body body) {
    var in = new JsonCursor(body);
    if (in.peek() != Kind.OBJECT) {
      in.skipValue();
      in.finish();
      throw CloudEvents.wrong("a structured event is a JSON object");
    }
    Map<String, Body> values = new LinkedHashMap<>();
    in.beginObject();
    while (in.nextKey()) {
      String name = in.key();
      in.peek();
      int start = in.position();
      in.skipValue();
      values.putIfAbsent(name, body.slice(start, in.position() - start));
    }
    in.finish();
    return new EventMembers(values);
  }

  /** Returns whether it has all members that identify an event. */
  boolean isWhole() {
    return values.containsKey("time") && REQUIRED.stream().allMatch(values::containsKey);
  }

  /** Returns the text of the event's document. */
  Optional<Body> data() {
    return Optional.ofNullable(values.get(DATA));
  }

  /** Returns an attribute's value if it is a string. */
  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name))
        .map(JsonCursor::new)
        .filter(in -> in.peek() == Kind.STRING)
        .map(in -> in.string().toText());
  }
}
