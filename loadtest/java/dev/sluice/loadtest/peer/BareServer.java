package dev.sluice.loadtest.peer;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The ceiling: reads a body, and answers with a canned one. As many event loops as Sluice has, the
 * same transport, the same HTTP/2 windows; HTTP/1.1 and HTTP/2 on one port.
 */
public final class BareServer extends VerticleBase {
  private static final int STREAM_WINDOW = 4 * 1024 * 1024;
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;
  private static final int MAX_FRAME_SIZE = 128 * 1024;

  private static final CharSequence GRPC_STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence OK = HttpHeaders.createOptimized("0");

  private final int port;

  private final CharSequence contentType;
  private final Buffer answer;
  private final CharSequence length;
  private final boolean grpc;
  private HttpServer server;

  @SuppressWarnings("NullAway.Init") // The server is there from start() on.
  private BareServer(String contentType, Buffer answer, int port) {
    this.port = port;
    this.contentType = HttpHeaders.createOptimized(contentType);
    this.answer = answer;
    this.length = HttpHeaders.createOptimized(Integer.toString(answer.length()));
    this.grpc = contentType.startsWith("application/grpc");
  }

  /**
   * Serves until killed.
   *
   * @param arguments the content type of the answer, and a file with its body; with {@code
   *     application/grpc} a status follows in a trailer
   */
  public static void main(String[] arguments) throws IOException {
    Buffer answer = Buffer.buffer(Files.readAllBytes(Path.of(arguments[1])));
    int loops = Runtime.getRuntime().availableProcessors();
    Vertx vertx =
        Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(loops));
    int port = freePort();
    vertx
        .deployVerticle(
            () -> new BareServer(arguments[0], answer, port),
            new DeploymentOptions().setInstances(loops))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    System.out.println("http://127.0.0.1:" + port);
  }

  /** Finds the port that all event loops share: with port 0 each would have one of its own. */
  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public Future<?> start() {
    var options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(port)
            .setHttp2ConnectionWindowSize(CONNECTION_WINDOW);
    options
        .getInitialSettings()
        .setInitialWindowSize(STREAM_WINDOW)
        .setMaxFrameSize(MAX_FRAME_SIZE)
        .setMaxConcurrentStreams(1_000);
    server = vertx.createHttpServer(options).requestHandler(this::answer);
    return server.listen();
  }

  private void answer(HttpServerRequest request) {
    request
        .body()
        .onSuccess(_ -> {
          MultiMap headers = request.response().headers();
          headers.set(HttpHeaders.CONTENT_TYPE, contentType);
          if (grpc) {
            request.response().putTrailer(GRPC_STATUS, OK);
          } else {
            headers.set(HttpHeaders.CONTENT_LENGTH, length);
          }
          request.response().end(answer);
        });
  }
}
