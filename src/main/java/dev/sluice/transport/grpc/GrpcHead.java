package dev.sluice.transport.grpc;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.transport.BrowserGuard;
import dev.sluice.transport.ListenerContext;
import dev.sluice.transport.grpc.message.GrpcMessageReader;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Head of a call: what is known of it before its first message, whichever way it has come.
 *
 * @param connection its client's
 * @param path of its method
 * @param authority how it addresses the server
 * @param headers a header's value by its name
 * @param allHeaders all of them; read on the event loop, if at all
 */
record GrpcHead(
    HttpConnection connection,
    String path,
    Supplier<@Nullable String> authority,
    Function<CharSequence, @Nullable String> headers,
    Iterable<Map.Entry<String, String>> allHeaders) {
  private static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final CharSequence TIMEOUT = HttpHeaders.createOptimized("grpc-timeout");

  static GrpcHead of(HttpServerRequest request) {
    return new GrpcHead(
        request.connection(),
        request.path(),
        () -> BrowserGuard.authority(request),
        request::getHeader,
        request.headers());
  }

  /** Returns whether its messages may be compressed. */
  boolean isCompressed() {
    return headers.apply(ENCODING) != null;
  }

  /** Returns a reader of its messages, with the limits of the listener. */
  GrpcMessageReader reader(ListenerContext context) {
    return new GrpcMessageReader(
        headers.apply(ENCODING),
        context.limits().maxBodySize(),
        context.limits().maxInflatedSize());
  }

  /**
   * Returns the deadline of the {@code grpc-timeout} header.
   *
   * @throws InferenceException if the header says it in no form we know
   */
  Deadline deadline(long now) {
    String timeout = headers.apply(TIMEOUT);
    return timeout == null ? Deadline.NONE : Deadline.after(GrpcTimeout.read(timeout), now);
  }
}
