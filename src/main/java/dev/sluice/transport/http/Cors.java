package dev.sluice.transport.http;

import io.vertx.core.http.HttpHeaders;

/**
 * Lets pages from other origins ask models, with the headers and answers of TensorFlow Serving
 * (src/docs/reference/protocols/tensorflow-serving.md, CORS).
 */
public final class Cors {
  private static final CharSequence ANY = HttpHeaders.createOptimized("*");
  private static final CharSequence METHODS = HttpHeaders.createOptimized("POST, GET");
  private static final CharSequence HEADERS = HttpHeaders.createOptimized("Content-Type");

  private Cors() {}

  /** Says in an answer that pages from anywhere may read it. */
  static void allow(HttpExchange exchange) {
    exchange
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, ANY)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
  }

  /** Answers what a browser asks before it sends a page's request: yes, if a page asks. */
  public static void answerPreflight(HttpExchange exchange) {
    String origin = exchange.header(HttpHeaders.ORIGIN);
    boolean page = origin != null && (origin.contains("http://") || origin.contains("https://"));
    exchange.preflight();
    exchange.empty(page ? 200 : 400);
  }
}
