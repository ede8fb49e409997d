package dev.sluice.transport.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.health.HealthService;
import io.vertx.grpc.reflection.ReflectionService;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Health and reflection as the library has them. Reflection lists the handlers' services, although
 * the library does not serve them.
 *
 * @param server takes their calls
 * @param health of the server as a whole
 */
record LibraryServices(GrpcServer server, OverallHealth health) {
  /**
   * Makes them, which loads what the protocols' proto files declare.
   *
   * @param ready what health answers for the server as a whole, and for each service without an
   *     answer of its own
   */
  static LibraryServices of(
      Vertx vertx, List<GrpcProtocolHandler> protocolHandlers, BooleanSupplier ready) {
    GrpcServer server =
        GrpcServer.server(vertx, new GrpcServerOptions().setScheduleDeadlineAutomatically(true));
    var health = HealthService.create(vertx);
    Map<String, Supplier<Future<Boolean>>> services = new HashMap<>();
    for (GrpcProtocolHandler protocolHandler : protocolHandlers) {
      BooleanSupplier readiness = protocolHandler.readiness();
      BooleanSupplier own = readiness == null ? ready : readiness;
      protocolHandler
          .healthNames()
          .forEach(name -> services.put(name, () -> Future.succeededFuture(own.getAsBoolean())));
      server.addService(described(protocolHandler.descriptor()));
    }
    services.forEach(health::register);
    server.addService(health).addService(ReflectionService.v1());
    var overall = new OverallHealth(services, ready);
    overall.bind(vertx, server);
    return new LibraryServices(server, overall);
  }

  private static Service described(ServiceDescriptor descriptor) {
    return Service.service(ServiceName.create(descriptor.getFullName()), descriptor).build();
  }
}
