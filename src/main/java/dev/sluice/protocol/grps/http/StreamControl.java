package dev.sluice.protocol.grps.http;

import dev.sluice.transport.http.HttpExchange;

/**
 * How a predict request says that it wants a stream.
 *
 * @param mode where it says so
 * @param key what says so
 * @param contentType of the stream
 */
public record StreamControl(Mode mode, String key, String contentType) {
  /** As a server without settings has it. */
  public static final StreamControl DEFAULT =
      new StreamControl(Mode.QUERY_PARAM, "streaming", "application/octet-stream");

  /** Where a request says what it wants. */
  public enum Mode {
    /** A query key that is {@code true}, in any case. */
    QUERY_PARAM,
    /** A header that is {@code true}, in any case. */
    HEADER_PARAM,
    /** A member of a JSON body that is {@code true}, and no text. */
    BODY_PARAM
  }

  /** Whether the request's head asks for a stream. */
  boolean asksInHead(HttpExchange http, PredictQuery query) {
    return switch (mode) {
      case QUERY_PARAM -> query.isTrue(key);
      case HEADER_PARAM -> "true".equalsIgnoreCase(http.header(key));
      case BODY_PARAM -> false;
    };
  }

  /** The member of a JSON body that asks for a stream; empty if none can. */
  String bodyKey() {
    return mode == Mode.BODY_PARAM ? key : "";
  }
}
