package dev.sluice.transport.grpc;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import dev.sluice.inference.Operation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.health.HealthService;
import io.vertx.grpc.reflection.ReflectionService;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What gRPC tools expect of any server: {@code grpc.health.v1.Health} and {@code
 * grpc.reflection.v1.ServerReflection}, also by its first name. Both are the library's; reflection
 * tells of the faces' services, although the library does not serve them.
 */
final class StandardServices {
  private static final String HEALTH = "/grpc.health.v1.Health/";
  static final String REFLECTION = "/grpc.reflection.v1.ServerReflection/";

  private final Handler<HttpServerRequest> server;

  /**
   * @param ready what health answers, for the server as a whole and for each service
   */
  StandardServices(Vertx vertx, List<GrpcFace> faces, BooleanSupplier ready) {
    GrpcServer grpc = GrpcServer.server(vertx);
    var health = HealthService.create(vertx);
    Map<String, Supplier<Future<Boolean>>> services = new HashMap<>();
    for (GrpcFace face : faces) {
      face.healthNames()
          .forEach(name -> services.put(name, () -> Future.succeededFuture(ready.getAsBoolean())));
      grpc.addService(described(face.descriptor()));
    }
    services.forEach(health::register);
    grpc.addService(health).addService(ReflectionService.v1());
    new OverallHealth(services, ready).bind(vertx, grpc);
    this.server = grpc;
  }

  private static Service described(ServiceDescriptor descriptor) {
    return Service.service(ServiceName.create(descriptor.getFullName()), descriptor).build();
  }

  /** Whether a call is for one of these services. */
  static boolean serve(String path) {
    return path.startsWith(HEALTH)
        || path.startsWith(REFLECTION)
        || path.startsWith(FirstReflection.PATH);
  }

  /** What a call for one of these services asks for. */
  static Operation operation(String path) {
    return path.startsWith(HEALTH) ? Operation.HEALTH : Operation.REFLECTION;
  }

  void answer(HttpServerRequest request) {
    boolean first = request.path().startsWith(FirstReflection.PATH);
    server.handle(new ForgivingRequest(first ? new FirstReflection(request) : request));
  }
}
