package dev.sluice.transport.netty.grpc;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;

/**
 * A call of {@code grpc.reflection.v1alpha.ServerReflection} as one of {@code grpc.reflection.v1},
 * whose messages are the same: many tools know only the older name.
 */
public final class ReflectionV1Alpha extends HttpServerRequestWrapper {
  /** Path before the names of the older service's methods. */
  public static final String PATH = "/grpc.reflection.v1alpha.ServerReflection/";

  private final String newer;

  /**
   * @param newer the path before the names of the newer service's methods
   */
  public ReflectionV1Alpha(HttpServerRequest request, String newer) {
    super((HttpServerRequestInternal) request);
    this.newer = newer;
  }

  @Override
  public String path() {
    return newer + super.path().substring(PATH.length());
  }
}
