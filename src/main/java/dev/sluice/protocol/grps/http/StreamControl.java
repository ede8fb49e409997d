package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.transport.Body;
import dev.sluice.transport.http.HttpExchange;

/**
 * The part of a predict request that asks for a stream.
 *
 * @param mode where it says so
 * @param key what says so
 * @param contentType of the stream
 */
public record StreamControl(Mode mode, String key, String contentType) {
  /** The place in a request that is read for it. */
  public enum Mode {
    /** A query key that is {@code true}, in any case. */
    QUERY_PARAM,
    /** A header that is {@code true}, in any case. */
    HEADER_PARAM,
    /** A member of a JSON body that is {@code true}, and no text. */
    BODY_PARAM
  }

  /** Returns whether the request's head asks for a stream. */
  boolean asksInHead(HttpExchange http, PredictQueryParameters query) {
    return switch (mode) {
      case QUERY_PARAM -> query.isTrue(key);
      case HEADER_PARAM -> "true".equalsIgnoreCase(http.header(key));
      case BODY_PARAM -> false;
    };
  }

  /**
   * Returns whether a body that may be anything asks for a stream. Whatever is no JSON does not.
   */
  boolean asksInBody(Body body) {
    try {
      return mode == Mode.BODY_PARAM && asks(new JsonCursor(body));
    } catch (JsonException e) {
      return false;
    }
  }

  private boolean asks(JsonCursor in) {
    boolean asks = false;
    if (in.peek() == JsonCursor.Kind.OBJECT) {
      in.beginObject();
      while (in.nextKey()) {
        boolean meant = in.keyIs(key);
        asks = meant ? in.peek() == JsonCursor.Kind.TRUE : asks;
        in.skipValue();
      }
      in.finish();
    }
    return asks;
  }

  /** Returns the member of a JSON body that asks for a stream; empty if none can. */
  String bodyKey() {
    return mode == Mode.BODY_PARAM ? key : "";
  }
}
