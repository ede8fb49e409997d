package dev.sluice.transport.grpc;

import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.RequestIds;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Takes the gRPC and gRPC-Web calls of one event loop to the methods they name. */
public final class GrpcFront implements Consumer<HttpServerRequest> {
  private static final int UNIMPLEMENTED = 12;

  private final Map<String, GrpcMethod> methods = new HashMap<>();
  private final ListenerContext context;
  private final StandardServices standard;
  private final RequestIds ids = new RequestIds();

  /**
   * Puts the faces' methods under their paths.
   *
   * @param ready what the standard health service answers
   * @throws IllegalStateException if two faces serve the same method
   */
  public GrpcFront(List<GrpcFace> faces, ListenerContext context, BooleanSupplier ready) {
    this.context = context;
    this.standard = new StandardServices(context.vertx(), faces, ready);
    for (GrpcFace face : faces) {
      face.methods().forEach((name, method) -> add("/" + face.service() + "/" + name, method));
    }
  }

  private void add(String path, GrpcMethod method) {
    if (methods.put(path, method) != null) {
      throw new IllegalStateException("two protocols claim the method " + path);
    }
  }

  @Override
  public void accept(HttpServerRequest request) {
    if (StandardServices.serve(request.path())) {
      standard.answer(request);
      return;
    }
    GrpcForm form = GrpcForm.of(request);
    if (form == null || !request.method().equals(HttpMethod.POST)) {
      request.response().setStatusCode(form == null ? 415 : 405).end();
      return;
    }
    var reply = new GrpcReply(request.response(), form);
    GrpcMethod method = methods.get(request.path());
    if (method == null) {
      reply.fail(UNIMPLEMENTED, "unknown method " + request.path());
      return;
    }
    new UnaryCall(method, request, reply, form, context, ids.of(request)).start();
  }
}
