package dev.sluice.boot;

import dev.sluice.transport.ListenerFront;
import dev.sluice.transport.grpc.GrpcFront;
import dev.sluice.transport.http.HttpFront;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/** Tells gRPC from everything else by the content type, which is what lets them share a port. */
record Front(HttpFront http, GrpcFront grpc) implements ListenerFront {
  private static final String GRPC = "application/grpc";

  @Override
  public void opened(HttpConnection connection) {
    grpc.opened(connection);
  }

  @Override
  public void answer(HttpServerRequest request) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (type != null && type.regionMatches(true, 0, GRPC, 0, GRPC.length())) {
      grpc.accept(request);
    } else {
      http.accept(request);
    }
  }
}
