package dev.sluice.boot;

import dev.sluice.transport.ListenerFront;
import dev.sluice.transport.grpc.GrpcFront;
import dev.sluice.transport.http.HttpFront;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;

/** Tells gRPC from everything else, which is what lets them share a port. */
record Front(HttpFront http, GrpcFront grpc) implements ListenerFront {
  @Override
  public void opened(HttpConnection connection) {
    http.opened(connection);
    grpc.opened(connection);
  }

  @Override
  public boolean isStream(String path) {
    return grpc.isStream(path);
  }

  @Override
  public void closing() {
    grpc.closing();
  }

  @Override
  public void answer(HttpServerRequest request) {
    if (grpc.takes(request)) {
      grpc.accept(request);
    } else {
      http.accept(request);
    }
  }
}
