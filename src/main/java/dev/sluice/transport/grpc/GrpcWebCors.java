package dev.sluice.transport.grpc;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/** Lets pages from other origins call over gRPC-Web, which browsers ask about beforehand. */
final class GrpcWebCors {
  private static final CharSequence ANY = HttpHeaders.createOptimized("*");

  /** Response headers that a page may read. */
  private static final CharSequence READABLE =
      HttpHeaders.createOptimized("grpc-status, grpc-message, grpc-retry-pushback-ms");

  /** Request headers that libraries for pages send. */
  private static final CharSequence SENT =
      HttpHeaders.createOptimized(
          "content-type, x-grpc-web, x-user-agent, grpc-timeout, x-request-id, request-timeout");

  private static final String A_DAY = "86400";

  private GrpcWebCors() {}

  /** Says in an answer that pages from anywhere may read it. */
  static void allow(HttpServerResponse response) {
    response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    response.putHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, READABLE);
  }

  /** Answers a browser's preflight request for a page's call. */
  static void answerPreflight(HttpServerResponse response) {
    response
        .setStatusCode(204)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, ANY)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, "POST")
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, SENT)
        .putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, A_DAY)
        .end();
  }
}
