package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.Compressor;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcSender;
import io.opentelemetry.sdk.common.export.GrpcSenderConfig;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import io.opentelemetry.sdk.common.export.MessageWriter;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sends messages to a collector by gRPC, with Vert.x's HTTP client. Those senders that the SDK has
 * for gRPC need OkHttp or another Netty, and the JDK's client, by which it sends over HTTP, gives
 * no trailers.
 *
 * <p>Threads: a message is written on the caller's thread, sent on an event loop, where its outcome
 * is reported too.
 */
final class GrpcMessageSender implements GrpcSender {
  private static final int HEAD = 5;

  /** The error code CANCEL of HTTP/2. */
  private static final long CANCEL = 8;

  /** A connection on which nothing comes for so many timeouts is given up for another. */
  private static final int SILENT_TIMEOUTS = 2;

  /** After these a collector may take the same message, says the specification of OTLP. */
  private static final Set<GrpcStatusCode> RETRYABLE =
      EnumSet.of(
          GrpcStatusCode.CANCELLED,
          GrpcStatusCode.DEADLINE_EXCEEDED,
          GrpcStatusCode.ABORTED,
          GrpcStatusCode.OUT_OF_RANGE,
          GrpcStatusCode.UNAVAILABLE,
          GrpcStatusCode.DATA_LOSS);

  private final Vertx vertx;
  private final GrpcSenderConfig config;
  private final RequestOptions target;
  private final HttpClient client;

  GrpcMessageSender(Vertx vertx, GrpcSenderConfig config) {
    this.vertx = vertx;
    this.config = config;
    boolean tls = "https".equalsIgnoreCase(config.getEndpoint().getScheme());
    long millis = config.getTimeout().toMillis();
    this.target =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setConnectTimeout(millis)
            .setAbsoluteURI(
                config.getEndpoint().resolve("/" + config.getFullMethodName()).toString());
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setSsl(tls)
                .setUseAlpn(tls)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setReadIdleTimeout(Math.toIntExact(SILENT_TIMEOUTS * millis))
                .setConnectTimeout(Math.toIntExact(config.getConnectTimeout().toMillis())));
  }

  @Override
  public void send(
      MessageWriter message, Consumer<GrpcResponse> onResponse, Consumer<Throwable> onError) {
    Buffer framed;
    try {
      framed = framed(message);
    } catch (IOException e) {
      onError.accept(e);
      return;
    }
    RetryPolicy retries = config.getRetryPolicy();
    int attempts = retries == null ? 1 : retries.getMaxAttempts();
    Duration pause = retries == null ? Duration.ZERO : retries.getInitialBackoff();
    try {
      attempt(framed, attempts, pause).onComplete(onResponse::accept, onError::accept);
    } catch (RejectedExecutionException e) {
      onError.accept(e); // The server's event loops have ended.
    }
  }

  private Buffer framed(MessageWriter message) throws IOException {
    Compressor compressor = config.getCompressor();
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[HEAD]);
    try (OutputStream out = compressor == null ? bytes : compressor.compress(bytes)) {
      message.writeMessage(out);
    }
    ByteBuffer framed = ByteBuffer.wrap(bytes.toByteArray());
    framed.put((byte) (compressor == null ? 0 : 1)).putInt(framed.capacity() - HEAD);
    return Buffer.buffer(framed.array());
  }

  /**
   * Sends a message until the collector has taken or refused it, or no attempt is left.
   *
   * @param pause before the next attempt
   */
  private Future<GrpcResponse> attempt(Buffer framed, int attempts, Duration pause) {
    return exchange(framed)
        .transform((response, failure) -> {
          boolean again = failure != null || RETRYABLE.contains(response.getStatusCode());
          if (!again || attempts <= 1) {
            return failure == null
                ? Future.succeededFuture(response)
                : Future.failedFuture(failure);
          }
          return vertx
              .timer(Math.max(1, pause.toMillis()), TimeUnit.MILLISECONDS)
              .compose(_ -> attempt(framed, attempts - 1, longer(pause)));
        });
  }

  private Duration longer(Duration pause) {
    RetryPolicy retries = Objects.requireNonNull(config.getRetryPolicy());
    long millis = (long) (pause.toMillis() * retries.getBackoffMultiplier());
    return Duration.ofMillis(Math.min(millis, retries.getMaxBackoff().toMillis()));
  }

  /** A connection may come about on which the collector never says that it is there. */
  private Future<GrpcResponse> exchange(Buffer framed) {
    return client
        .request(target)
        .compose(request -> exchange(request, framed))
        .timeout(config.getTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The message of the response is passed over: it has nothing that the SDK heeds. */
  private Future<GrpcResponse> exchange(HttpClientRequest request, Buffer framed) {
    config.getHeadersSupplier().get().forEach((name, values) -> request.putHeader(name, values));
    request.putHeader("content-type", "application/grpc").putHeader("te", "trailers");
    if (config.getCompressor() != null) {
      request.putHeader("grpc-encoding", config.getCompressor().getEncoding());
    }
    long millis = config.getTimeout().toMillis();
    request.putHeader("grpc-timeout", millis + "m");
    return request
        .send(framed)
        .compose(response -> response.end().map(_ -> (GrpcResponse) GrpcOutcome.of(response)))
        .timeout(millis, TimeUnit.MILLISECONDS)
        .onFailure(_ -> request.reset(CANCEL));
  }

  @Override
  public CompletableResultCode shutdown() {
    var closed = new CompletableResultCode();
    try {
      client.close().onComplete(_ -> closed.succeed(), closed::failExceptionally);
    } catch (RejectedExecutionException e) {
      closed.succeed(); // The server's event loops have ended, and the client with them.
    }
    return closed;
  }
}
