package dev.sluice.boot.infer;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request, and waits for its response on the caller's thread.
 *
 * @param url scheme, host and port
 * @param headers more of them, such as credentials
 * @param deadline how long to wait, which the server learns too
 * @param tls files of certificates
 */
record ServerCall(String url, MultiMap headers, Duration deadline, Tls tls) {
  private static final int GRPC_HEAD = 5;

  private static final List<String> GRPC_CODES =
      List.of(
          "OK",
          "CANCELLED",
          "UNKNOWN",
          "INVALID_ARGUMENT",
          "DEADLINE_EXCEEDED",
          "NOT_FOUND",
          "ALREADY_EXISTS",
          "PERMISSION_DENIED",
          "RESOURCE_EXHAUSTED",
          "FAILED_PRECONDITION",
          "ABORTED",
          "OUT_OF_RANGE",
          "UNIMPLEMENTED",
          "INTERNAL",
          "UNAVAILABLE",
          "DATA_LOSS",
          "UNAUTHENTICATED");

  /** Files of certificates in PEM; without an own one of the authority, those of the JDK hold. */
  record Tls(@Nullable String authority, @Nullable String certificate, @Nullable String key) {}

  /**
   * Returns the body of the response.
   *
   * @throws InferFailure with the server's status and text if it refuses, or if it does not answer
   */
  byte[] send(WireProtocol protocol, String path, byte[] body) {
    try (Connection connection = open(protocol)) {
      return connection.send(path, body);
    }
  }

  /** Opens a client for any number of requests. */
  Connection open(WireProtocol protocol) {
    return new Connection(protocol);
  }

  /** A client, which its caller closes. For one thread. */
  final class Connection implements AutoCloseable {
    private final WireProtocol protocol;
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final HttpClient client;

    private Connection(WireProtocol protocol) {
      this.protocol = protocol;
      this.client = vertx.createHttpClient(options(protocol.isGrpc()));
    }

    /** See {@link ServerCall#send(WireProtocol, String, byte[])}. */
    byte[] send(String path, byte[] body) {
      try {
        return client
            .request(new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(url + path))
            // Read where it is sent, on the event loop: a body that arrives before it has a handler
            // is lost.
            .compose(request ->
                ServerCall.this
                    .send(request, protocol.isGrpc(), body)
                    .compose(response -> read(response, protocol)))
            .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
            .toCompletionStage()
            .toCompletableFuture()
            .join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof InferFailure failure) {
          throw failure;
        }
        throw new InferFailure(url + ": " + why(e.getCause()));
      }
    }

    @Override
    public void close() {
      client.close();
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  /** Returns what failed and its causes, such as what is wrong with a certificate. */
  private static String why(@Nullable Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .map(Throwable::getMessage)
        .filter(Objects::nonNull)
        .distinct()
        .collect(Collectors.joining(": "));
  }

  private HttpClientOptions options(boolean grpc) {
    var options =
        new HttpClientOptions()
            .setSsl(url.startsWith("https:"))
            .setUseAlpn(grpc && url.startsWith("https:"));
    if (grpc) {
      options.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
    }
    if (tls.authority != null) {
      options.setTrustOptions(new PemTrustOptions().addCertPath(tls.authority));
    }
    if (tls.certificate != null && tls.key != null) {
      options.setKeyCertOptions(
          new PemKeyCertOptions().setCertPath(tls.certificate).setKeyPath(tls.key));
    }
    return options;
  }

  private Future<HttpClientResponse> send(HttpClientRequest request, boolean grpc, byte[] body) {
    request.headers().addAll(headers);
    long millis = deadline.toMillis();
    if (!grpc) {
      request.putHeader("Content-Type", "application/json");
      request.putHeader("Request-Timeout", millis + "ms");
      return request.send(Buffer.buffer(body));
    }
    request.putHeader("Content-Type", "application/grpc");
    request.putHeader("TE", "trailers");
    request.putHeader("grpc-timeout", Math.min(millis, 99_999_999) + "m");
    return request.send(
        Buffer.buffer(GRPC_HEAD + body.length)
            .appendByte((byte) 0)
            .appendInt(body.length)
            .appendBytes(body));
  }

  private static Future<byte[]> read(HttpClientResponse response, WireProtocol protocol) {
    return response
        .body()
        .map(body -> {
          if (response.statusCode() != 200) {
            throw new InferFailure(
                response.statusCode(),
                response.statusCode() + " " + response.statusMessage() + ": " + body);
          }
          return protocol.isGrpc() ? message(response, body) : body.getBytes();
        });
  }

  /** Returns the one message of a call that ended with OK. */
  private static byte[] message(HttpClientResponse response, Buffer body) {
    String code = trailer(response, "grpc-status");
    if (!code.equals("0")) {
      String text =
          URLDecoder.decode(
              trailer(response, "grpc-message").replace("+", "%2B"), StandardCharsets.UTF_8);
      throw new InferFailure(name(code) + ": " + text);
    }
    if (body.length() < GRPC_HEAD || body.getByte(0) != 0) {
      throw new InferFailure("the response has no message that can be read");
    }
    return body.getBytes(GRPC_HEAD, body.length());
  }

  /** Returns what is in the trailers, or in the headers of a call that has nothing else. */
  private static String trailer(HttpClientResponse response, String name) {
    String trailer = response.getTrailer(name);
    String value = trailer == null ? response.getHeader(name) : trailer;
    return value == null ? "" : value;
  }

  private static String name(String code) {
    return code.matches("\\d{1,2}") && Integer.parseInt(code) < GRPC_CODES.size()
        ? GRPC_CODES.get(Integer.parseInt(code))
        : "no status";
  }
}
