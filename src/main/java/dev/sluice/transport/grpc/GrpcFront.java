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
  private final Map<String, GrpcStreamMethod> streams = new HashMap<>();
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
      String service = "/" + face.service() + "/";
      face.methods().forEach((name, method) -> add(methods, service + name, method));
      face.streams().forEach((name, method) -> add(streams, service + name, method));
    }
  }

  private static <T> void add(Map<String, T> methods, String path, T method) {
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
    GrpcStreamMethod stream = method == null ? streams.get(request.path()) : null;
    if (method != null) {
      new UnaryCall(method, request, reply, form, context, ids.of(request)).start();
    } else if (stream != null) {
      new StreamingCall(request, reply, form, context, ids.of(request)).start(stream);
    } else {
      reply.fail(UNIMPLEMENTED, "unknown method " + request.path());
    }
  }
}
