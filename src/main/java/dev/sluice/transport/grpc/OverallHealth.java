package dev.sluice.transport.grpc;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.health.handler.GrpcHealthCheckV1Handler;
import io.vertx.grpc.health.handler.GrpcHealthWatchV1Handler;
import io.vertx.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.vertx.grpc.server.GrpcServer;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The health of the server as a whole, for checks that name no service. The library's own handlers
 * answer such a check with SERVING whatever was registered; these ask.
 */
final class OverallHealth {
  private final Map<String, Supplier<Future<Boolean>>> services;
  private final BooleanSupplier ready;
  private @Nullable Watch watch;

  /**
   * @param services what is answered for each service by its name
   * @param ready what is answered for the server
   */
  OverallHealth(Map<String, Supplier<Future<Boolean>>> services, BooleanSupplier ready) {
    this.services = services;
    this.ready = ready;
  }

  /** Answers in place of the library's handlers, which must be bound already. */
  void bind(Vertx vertx, GrpcServer server) {
    server.callHandler(GrpcHealthCheckV1Handler.SERVICE_METHOD, null);
    server.callHandler(GrpcHealthCheckV1Handler.SERVICE_METHOD, new Check(server));
    server.callHandler(GrpcHealthWatchV1Handler.SERVICE_METHOD, null);
    watch = new Watch(vertx, server);
    server.callHandler(GrpcHealthWatchV1Handler.SERVICE_METHOD, watch);
  }

  /** Sends nothing more to those who watch. */
  void stop() {
    if (watch != null) {
      watch.close();
    }
  }

  private Future<ServingStatus> overall() {
    return Future.succeededFuture(
        ready.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
  }

  private final class Check extends GrpcHealthCheckV1Handler {
    Check(GrpcServer server) {
      super(server, services);
    }

    @Override
    protected Future<ServingStatus> checkStatus(String service) {
      return service.isEmpty() ? overall() : super.checkStatus(service);
    }
  }

  private final class Watch extends GrpcHealthWatchV1Handler {
    Watch(Vertx vertx, GrpcServer server) {
      super(vertx, server, services);
    }

    @Override
    protected Future<ServingStatus> checkStatus(String service) {
      return service.isEmpty() ? overall() : super.checkStatus(service);
    }
  }
}
