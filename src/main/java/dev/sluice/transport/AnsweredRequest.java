package dev.sluice.transport;

import dev.sluice.telemetry.access.AccessEntry;
import dev.sluice.telemetry.access.AccessLog;
import dev.sluice.telemetry.access.CallStages;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * Reads what the access log says of requests of Vert.x, and logs those that are answered without an
 * exchange: by the guards, or by a library. Of the request's event loop.
 */
public final class AnsweredRequest {
  private static final CharSequence GRPC_STATUS = "grpc-status";

  private AnsweredRequest() {}

  /** Returns the name of the protocol that carried a request. */
  public static String protocol(HttpServerRequest request) {
    HttpVersion version = request.version();
    return version == null
        ? "HTTP"
        : switch (version) {
          case HTTP_1_0 -> "HTTP/1.0";
          case HTTP_1_1 -> "HTTP/1.1";
          case HTTP_2 -> "HTTP/2";
          default -> version.name();
        };
  }

  /** Returns what a request addressed, without its query, which may hold a secret. */
  public static AccessEntry.Target target(
      HttpServerRequest request, String protocol, String requestId) {
    if (request.decoderResult().isFailure()) {
      // What Vert.x has then is no request of the client's.
      return new AccessEntry.Target(protocol, "", "", requestId);
    }
    String path = request.path();
    return new AccessEntry.Target(
        protocol, request.method().name(), path == null ? "" : path, requestId);
  }

  /**
   * Returns how a request was answered.
   *
   * @param rpcStatus of gRPC; {@link AccessEntry#NONE} if it is no call
   */
  public static AccessEntry.Answer answer(HttpServerRequest request, int rpcStatus) {
    HttpServerResponse response = request.response();
    return new AccessEntry.Answer(
        response.headWritten() ? response.getStatusCode() : AccessEntry.NONE,
        rpcStatus,
        request.bytesRead(),
        response.bytesWritten());
  }

  /**
   * Has an entry written when a request that is no exchange is answered, if there is an access log.
   * Before it is answered.
   *
   * @param protocol that carried it
   * @param identity its caller's; empty if it was not looked at
   * @param probe whether probes ask for it
   */
  public static void follow(
      HttpServerRequest request,
      ListenerContext context,
      String protocol,
      String identity,
      boolean probe) {
    AccessLog log = context.accessLog();
    if (log == null) {
      return;
    }
    var stages = new CallStages(context.nanoTime().getAsLong());
    request
        .response()
        .endHandler(_ -> {
          stages.ended(context.nanoTime().getAsLong());
          log.log(
              AccessEntry.of(
                  new AccessEntry.Client(
                      request.remoteAddress(), context.access().listener(), identity),
                  target(request, protocol, requestId(request)),
                  answer(request, rpcStatus(request.response())),
                  stages,
                  probe));
        });
  }

  private static String requestId(HttpServerRequest request) {
    String given = request.getHeader(RequestIds.HEADER);
    return given == null ? "" : given;
  }

  private static int rpcStatus(HttpServerResponse response) {
    String status = response.trailers().get(GRPC_STATUS);
    String known = status == null ? response.headers().get(GRPC_STATUS) : status;
    try {
      return known == null ? AccessEntry.NONE : Integer.parseInt(known);
    } catch (NumberFormatException e) {
      return AccessEntry.NONE;
    }
  }
}
