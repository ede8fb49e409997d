package dev.sluice.boot;

import dev.sluice.transport.ListenerDispatcher;
import dev.sluice.transport.grpc.GrpcDispatcher;
import dev.sluice.transport.http.HttpDispatcher;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;

/**
 * Port unification: passes gRPC requests and other HTTP requests of one port to their dispatchers.
 *
 * <p>Threads: the event loop of the connection. HTTP/1.1, HTTP/2, gRPC and gRPC-Web share a port;
 * the content type decides, since all gRPC requests have one of their own.
 */
record PortUnification(HttpDispatcher http, GrpcDispatcher grpc) implements ListenerDispatcher {
  @Override
  public void opened(HttpConnection connection) {
    http.opened(connection);
    grpc.opened(connection);
  }

  @Override
  public void refusing(HttpServerRequest request) {
    http.refusing(request);
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
