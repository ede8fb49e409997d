package dev.sluice.transport.grpc;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;

/**
 * A call of {@code grpc.reflection.v1alpha.ServerReflection} as one of {@code grpc.reflection.v1},
 * whose messages are the same: many tools know only the older name.
 */
final class ReflectionV1Alpha extends HttpServerRequestWrapper {
  static final String PATH = "/grpc.reflection.v1alpha.ServerReflection/";

  ReflectionV1Alpha(HttpServerRequest request) {
    super((HttpServerRequestInternal) request);
  }

  @Override
  public String path() {
    return StandardServices.REFLECTION + super.path().substring(PATH.length());
  }
}
