package dev.sluice.transport.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.access.Operation;
import dev.sluice.transport.MessageTurns;
import dev.sluice.transport.grpc.method.GrpcProtocolHandler;
import dev.sluice.transport.netty.grpc.LenientGrpcRequest;
import dev.sluice.transport.netty.grpc.ReflectionV1Alpha;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services that gRPC tools expect of any server: {@code grpc.health.v1.Health} and {@code
 * grpc.reflection.v1.ServerReflection}, also by its first name. {@link LibraryServices} answer.
 */
final class StandardServices implements IdleCallTimeouts.Member {
  private static final Logger LOG = LoggerFactory.getLogger(StandardServices.class);

  private static final String HEALTH = "/grpc.health.v1.Health/";
  private static final String WATCH = HEALTH + "Watch";

  /** A {@code HealthCheckResponse} with the status NOT_SERVING. */
  private static final byte[] NOT_SERVING = {8, 2};

  static final String REFLECTION = "/grpc.reflection.v1.ServerReflection/";

  /**
   * Calls of reflection that may be open on an event loop: what their clients do not read of the
   * answers waits in the library, where nothing counts it.
   */
  private static final int MOST_REFLECTING = 32;

  private final Supplier<LibraryServices> make;
  private final Vertx vertx;
  private final MessageTurns turns;

  /** What answers; null before the first call. */
  private @Nullable Future<LibraryServices> library;

  /** Calls without an end of their own, and some that have ended since. */
  private final List<HttpServerRequest> endless = new ArrayList<>();

  /** Calls of reflection that are open, and some that have ended since. */
  private final List<HttpServerRequest> reflecting = new ArrayList<>();

  /** Number of names at the last poll. */
  private int seen;

  /**
   * @param ready what health answers for the server as a whole, and for each service without an
   *     answer of its own
   * @param turns in which messages are taken
   */
  StandardServices(
      Vertx vertx,
      List<GrpcProtocolHandler> protocolHandlers,
      BooleanSupplier ready,
      MessageTurns turns) {
    this.make = () -> LibraryServices.of(vertx, protocolHandlers, ready);
    this.vertx = vertx;
    this.turns = turns;
  }

  /**
   * Returns what answers. It is made for the first call, since most servers are never asked, and on
   * a worker: to load all its classes may take a tenth of a second.
   */
  private Future<LibraryServices> library() {
    if (library == null) {
      library = vertx.executeBlocking(make::get, false);
    }
    return library;
  }

  /** Returns whether a call is for one of these services. */
  static boolean serve(String path) {
    return path.startsWith(HEALTH)
        || path.startsWith(REFLECTION)
        || path.startsWith(ReflectionV1Alpha.PATH);
  }

  /** Returns the operation of a call for one of these services. */
  static Operation operation(String path) {
    return path.startsWith(HEALTH) ? Operation.HEALTH : Operation.REFLECTION;
  }

  void answer(HttpServerRequest request) {
    if (operation(request.path()) == Operation.REFLECTION && !mayReflect(request)) {
      return;
    }
    if (operation(request.path()) == Operation.REFLECTION || request.path().equals(WATCH)) {
      if (seen == 0) {
        endless.removeIf(StandardServices::isOver);
      }
      endless.add(request);
    }
    Future<LibraryServices> made = library();
    if (made.succeeded()) {
      handle(made.result(), request);
    } else {
      request.pause();
      made.onSuccess(
              services -> {
                if (!isOver(request)) {
                  handle(services, request);
                  request.resume();
                }
              })
          .onFailure(failure -> notMade(made, request, failure));
    }
  }

  /** Refuses a call; one that comes later tries again. */
  private void notMade(Future<LibraryServices> made, HttpServerRequest request, Throwable failure) {
    if (made.equals(library)) {
      LOG.error("health and reflection cannot be made for their first call", failure);
      library = null;
    }
    GrpcForm form = GrpcForm.of(request);
    if (form != null && !isOver(request)) {
      new GrpcReply(request, form)
          .fail(GrpcStatus.of(ErrorCode.UNAVAILABLE), "the service cannot be made now; try again");
    }
  }

  private void handle(LibraryServices services, HttpServerRequest request) {
    boolean first = request.path().startsWith(ReflectionV1Alpha.PATH);
    services
        .server()
        .handle(
            new LenientGrpcRequest(
                first ? new ReflectionV1Alpha(request, REFLECTION) : request, vertx, turns));
  }

  /** Returns whether one more call may ask for descriptors; if not, it is refused. */
  private boolean mayReflect(HttpServerRequest request) {
    if (reflecting.size() >= MOST_REFLECTING) {
      reflecting.removeIf(StandardServices::isOver);
    }
    GrpcForm form = GrpcForm.of(request);
    if (reflecting.size() < MOST_REFLECTING || form == null) {
      reflecting.add(request);
      return true;
    }
    new GrpcReply(request, form)
        .fail(
            GrpcStatus.of(ErrorCode.RESOURCE_EXHAUSTED),
            "%d calls of server reflection are open, as many as may be"
                .formatted(reflecting.size()));
    return false;
  }

  private static boolean isOver(HttpServerRequest request) {
    return request.response().ended() || request.response().closed();
  }

  /** Ends the calls without an end: who watches hears before that the server does not serve. */
  @Override
  public void endIfIdle() {
    List<HttpServerRequest> old = endless.subList(0, seen);
    if (!old.isEmpty()) {
      library().onSuccess(services -> services.health().stop());
      old.stream().filter(call -> !isOver(call)).forEach(StandardServices::end);
      old.clear();
    }
    seen = endless.size();
  }

  private static void end(HttpServerRequest request) {
    GrpcForm form = GrpcForm.of(request);
    if (form != null) {
      InferenceException stopping = IdleCallTimeouts.stopping();
      var reply = new GrpcReply(request, form);
      if (request.path().equals(WATCH)) {
        var _ = reply.write(Buffer.buffer(NOT_SERVING));
      }
      reply.failStream(GrpcStatus.of(stopping.code()), String.valueOf(stopping.getMessage()));
    }
  }
}
