package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.KeptConnection;
import dev.sluice.testing.RawCalls;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** A listener closes under the load of clients that ask one thing after the other. */
@Timeout(60)
class DrainUnderLoadIT {
  private static final int ROUNDS = 12;
  private static final int ANSWERS_BEFORE = 60;
  private static final String BODY = "hello";
  private static final String ECHO =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello";

  /** Requests that a client sends at once. */
  private static final int PIPELINED = 8;

  /** ELOGOFF, for which clients of brpc go elsewhere. */
  private static final int STOPPING = 2003;

  /**
   * A client that has said nothing for so long may find its connection closed: this machine was too
   * busy to let it ask one thing after the other.
   */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static Vertx vertx;
  private static ExecutorService threads;

  private final CountDownLatch warm = new CountDownLatch(ANSWERS_BEFORE);
  private final AtomicInteger late = new AtomicInteger();

  /** One request and its answer on a connection of its own or one that is kept. */
  private interface Client {
    /** Returns false when the client knows that the server goes. */
    boolean ask() throws Exception;
  }

  @BeforeAll
  static void start() {
    vertx = Vertx.vertx();
    threads = Executors.newVirtualThreadPerTaskExecutor();
  }

  @AfterAll
  static void stop() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    threads.close();
  }

  /** Asks until the server takes no connections. */
  private int run(Client client) throws Exception {
    int answers = 0;
    while (client.ask()) {
      answers++;
      warm.countDown();
    }
    return answers;
  }

  private final class Kept implements Client {
    private final int port;
    private @Nullable KeptConnection connection;
    private long idleSince;

    Kept(int port) {
      this.port = port;
    }

    @Override
    public boolean ask() throws IOException {
      KeptConnection kept = connection;
      if (kept == null || !kept.keeps()) {
        if (kept != null) {
          kept.close();
        }
        try {
          kept = KeptConnection.open(port);
        } catch (ConnectException e) {
          return false;
        }
        connection = kept;
        idleSince = System.nanoTime();
      }
      long idle = System.nanoTime() - idleSince;
      try {
        assertThat(kept.post("/echo", BODY)).isEqualTo(BODY);
      } catch (IOException e) {
        if (idle < LATE_NANOS) {
          throw e;
        }
        late.incrementAndGet();
        connection = null;
      }
      idleSince = System.nanoTime();
      return true;
    }
  }

  private record Fresh(int port) implements Client {
    @Override
    public boolean ask() throws IOException {
      try (KeptConnection connection = KeptConnection.open(port)) {
        assertThat(connection.post("/echo", BODY)).isEqualTo(BODY);
        return true;
      } catch (ConnectException e) {
        return false;
      }
    }
  }

  /** Sends its requests in one segment on a new connection. */
  private record Pipelining(int port) implements Client {
    @Override
    public boolean ask() throws IOException {
      try (var socket = new Socket("localhost", port)) {
        socket.getOutputStream().write(ECHO.repeat(PIPELINED).getBytes(US_ASCII));
        var got = new StringBuilder();
        byte[] piece = new byte[4096];
        while (answers(got) < PIPELINED) {
          int n = socket.getInputStream().read(piece);
          if (n < 0) {
            throw new IOException("only %d answers: %s".formatted(answers(got), got));
          }
          got.append(new String(piece, 0, n, UTF_8));
        }
        return true;
      } catch (ConnectException e) {
        return false;
      }
    }

    private static int answers(CharSequence got) {
      return got.toString().split("\r\n\r\nhello", -1).length - 1;
    }
  }

  private static final class Brpc implements Client {
    private final BrpcClient client;
    private long next;

    Brpc(int port) throws IOException {
      client = new BrpcClient(port);
    }

    @Override
    public boolean ask() throws IOException {
      var call = new BrpcClient.Call("test.Echo", "Echo", ++next);
      BrpcClient.Answer answer = client.ask(call, BODY.getBytes(UTF_8));
      assertThat(answer.correlationId()).isEqualTo(next);
      if (answer.errorCode() == STOPPING) {
        assertThat(client.isClosedByServer()).isTrue();
        client.close();
        return false;
      }
      assertThat(answer.text()).isEqualTo(BODY);
      return true;
    }
  }

  private record Grpc(ManagedChannel channel) implements Client {
    @Override
    public boolean ask() {
      try {
        byte[] answer = RawCalls.send(channel, "test.Echo/Echo", BODY.getBytes(UTF_8));
        assertThat(new String(answer, UTF_8)).isEqualTo(BODY);
        return true;
      } catch (StatusRuntimeException e) {
        if (isRefused(e)) {
          return false;
        }
        throw e;
      }
    }
  }

  /** Whether a connection cannot be opened. */
  private static boolean isRefused(Throwable failure) {
    Throwable cause = failure;
    while (cause != null) {
      if (cause instanceof ConnectException) {
        return !(failure instanceof StatusRuntimeException grpc)
            || grpc.getStatus().getCode() == Status.Code.UNAVAILABLE;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private record Http2(HttpClient client, int port) implements Client {
    @Override
    public boolean ask() throws Exception {
      var begun = new AtomicBoolean();
      Future<String> answer =
          client
              .request(HttpMethod.POST, port, "localhost", "/echo")
              .compose(request -> {
                begun.set(true);
                // Before it is sent: this thread may be late for an answer that has come already.
                Future<String> whole =
                    request
                        .response()
                        .compose(response ->
                            response.body().map(body -> response.statusCode() + " " + body));
                return request.end(BODY).compose(_ -> whole);
              });
      try {
        String got = answer.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(got).isEqualTo("200 " + BODY);
        return true;
      } catch (java.util.concurrent.ExecutionException e) {
        if (isRefused(e)) {
          return false;
        }
        if (!begun.get()) {
          // No connection came about, and no request was sent: the next one is tried.
          return true;
        }
        throw e;
      }
    }
  }

  @RepeatedTest(ROUNDS)
  void nothingIsLostWhenAListenerCloses() throws Exception {
    Transport sockets = Transport.nativeTransport();
    assumeTrue(sockets != null && sockets.available(), "the transport of Linux is not to be had");
    var listener = new EchoListener(LimitsConfig.DEFAULT, Optional.empty(), sockets);
    int port = listener.port();
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    HttpClient http2 =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    List<java.util.concurrent.Future<Integer>> clients = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      for (Client client :
          List.of(
              new Kept(port),
              new Fresh(port),
              new Pipelining(port),
              new Brpc(port),
              new Grpc(channel),
              new Grpc(channel),
              new Http2(http2, port),
              new Http2(http2, port))) {
        clients.add(threads.submit(() -> run(client)));
      }
    }
    assertThat(warm.await(30, TimeUnit.SECONDS)).isTrue();
    listener.close();
    int answers = 0;
    for (java.util.concurrent.Future<Integer> client : clients) {
      answers += client.get(30, TimeUnit.SECONDS);
    }
    assertThat(answers).isGreaterThanOrEqualTo(ANSWERS_BEFORE);
    assertThat(late.get()).isLessThan(answers);
    channel.shutdownNow();
    http2.close();
  }
}
