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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The ceiling: reads a body, and answers with a canned one. As many event loops as Sluice has, the
 * same transport, the same HTTP/2 windows; HTTP/1.1 and HTTP/2 on one port.
 */
public final class BareServer extends VerticleBase {
  private static final int STREAM_WINDOW = 4 * 1024 * 1024;
  private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;
  private static final int MAX_FRAME_SIZE = 128 * 1024;

  /** A negative port is one that the system chooses once for all event loops. */
  private static final int SHARED_FREE_PORT = -1;

  private static final CharSequence GRPC_STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence OK = HttpHeaders.createOptimized("0");

  private final CharSequence contentType;
  private final Buffer answer;
  private final CharSequence length;
  private final boolean grpc;
  private HttpServer server;

  @SuppressWarnings("NullAway.Init") // The server is there from start() on.
  private BareServer(String contentType, Buffer answer) {
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
    List<BareServer> servers = new CopyOnWriteArrayList<>();
    vertx
        .deployVerticle(
            () -> {
              var server = new BareServer(arguments[0], answer);
              servers.add(server);
              return server;
            },
            new DeploymentOptions().setInstances(loops))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
    System.out.println("http://127.0.0.1:" + servers.getFirst().server.actualPort());
  }

  @Override
  public Future<?> start() {
    var options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(SHARED_FREE_PORT)
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
