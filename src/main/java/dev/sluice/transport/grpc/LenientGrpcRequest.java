package dev.sluice.transport.grpc;

import dev.sluice.transport.connection.RateLimitedLog;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A request for the library's own services, which throws what is wrong with a client's bytes, and
 * that a client has left, at the code that delivers the bytes. The stream is reset then.
 */
final class LenientGrpcRequest extends HttpServerRequestWrapper {
  private static final RateLimitedLog LOG =
      new RateLimitedLog(LoggerFactory.getLogger(LenientGrpcRequest.class));

  /** The error code that a client gets: PROTOCOL_ERROR of HTTP/2. */
  private static final long PROTOCOL_ERROR = 1;

  LenientGrpcRequest(HttpServerRequest request) {
    super((HttpServerRequestInternal) request);
  }

  @Override
  public HttpServerRequest handler(@Nullable Handler<Buffer> handler) {
    super.handler(handler == null ? null : piece -> take(() -> handler.handle(piece)));
    return this;
  }

  @Override
  public HttpServerRequest endHandler(@Nullable Handler<Void> handler) {
    super.endHandler(handler == null ? null : _ -> take(() -> handler.handle(null)));
    return this;
  }

  private void take(Runnable step) {
    try {
      step.run();
    } catch (IllegalArgumentException
        | IllegalStateException
        | IndexOutOfBoundsException
        // For a message that says it is compressed in a call that says not how.
        | UnsupportedOperationException e) {
      LOG.at(Level.INFO, "standard service")
          .addKeyValue("client", remoteAddress())
          .addKeyValue("path", path())
          .log("a call is reset: {}", e.getMessage());
      var _ = response().reset(PROTOCOL_ERROR);
    }
  }
}
