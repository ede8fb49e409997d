package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RecordCopy;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A budget that is used up, and the small calls that are answered nevertheless. */
@Timeout(60)
class MemoryReserveIT {
  private static final int MIB = 1024 * 1024;
  private static final int MEMORY = 32 * MIB;

  private final List<Socket> sockets = new ArrayList<>();
  private final EchoListener listener =
      new EchoListener(
          RecordCopy.with(
              new LimitsConfig(64 * MIB, 64 * MIB, MIB, Duration.ZERO, Duration.ZERO, 0),
              "memory",
              (long) MEMORY));

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    listener.close();
  }

  private Socket stalled(int length) throws IOException {
    var socket = new Socket("localhost", listener.port());
    sockets.add(socket);
    socket.setSoTimeout(20_000);
    socket
        .getOutputStream()
        .write(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                .formatted(length)
                .getBytes(US_ASCII));
    socket.getOutputStream().write(new byte[Math.min(length, 1000)]);
    return socket;
  }

  private static String status(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), US_ASCII).substring(9);
  }

  /** What a connection gets for a POST. */
  private String post(String head, byte[] body) throws IOException {
    try (Socket socket = new Socket("localhost", listener.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      socket.getOutputStream().write(body);
      return status(socket);
    }
  }

  private String posted(int size) throws IOException {
    return post(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n".formatted(size),
        new byte[size]);
  }

  private String chunked(int size) throws IOException {
    return post(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        "%x\r\n%s\r\n0\r\n\r\n".formatted(size, "x".repeat(size)).getBytes(US_ASCII));
  }

  private String grpc(int size) throws Exception {
    var vertx = Vertx.vertx();
    try {
      HttpClient client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      Buffer message = Buffer.buffer(new byte[1]).appendInt(size).appendBytes(new byte[size]);
      return client
          .request(HttpMethod.POST, listener.port(), "localhost", "/test.Echo/Echo")
          .compose(request ->
              request
                  .putHeader("content-type", "application/grpc")
                  .send(message)
                  .compose(answer -> answer.end().map(_ -> grpcStatus(answer))))
          .toCompletionStage()
          .toCompletableFuture()
          .get(20, TimeUnit.SECONDS);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
  }

  private static String grpcStatus(HttpClientResponse answer) {
    String status = answer.getHeader("grpc-status");
    return status == null ? answer.getTrailer("grpc-status") : status;
  }

  private int brpc(int size) throws IOException {
    try (var client = new BrpcClient(listener.port())) {
      return client.ask(new BrpcClient.Call("test.Echo", "Echo", 1), new byte[size]).errorCode();
    }
  }

  @Test
  void stalledUploadsTakeNoMoreThanIsThereForTheirSizeAndSmallerOnesAreAnswered() throws Exception {
    for (int i = 0; i < 700; i++) {
      stalled(60_000);
    }
    int refused = 0;
    int most = MEMORY / 16 * 15;
    for (Socket socket : sockets.subList(most / 60_000, 700)) {
      assertThat(status(socket)).isEqualTo("429");
      refused++;
    }
    assertThat(refused).isEqualTo(176);
    assertThat(listener.memory().held()).isBetween(most - 60_000L, (long) most);
    for (int size : new int[] {22, 500, 2_000}) {
      assertThat(posted(size)).isEqualTo("200");
      assertThat(grpc(size)).isEqualTo("0");
      assertThat(brpc(size)).isZero();
    }
    assertThat(posted(60_000)).isEqualTo("429");
  }

  @Test
  void messageAsSmallAsThoseOfHealthChecksIsAnsweredByEveryProtocolWhenAllIsUsedUp()
      throws Exception {
    try (MemoryAccount all = listener.memory().account()) {
      all.force(Kind.BODY, MEMORY);
      for (int size : new int[] {1, 22, 256}) {
        assertThat(posted(size)).isEqualTo("200");
        assertThat(chunked(size)).isEqualTo("200");
        assertThat(grpc(size)).isEqualTo("0");
        assertThat(brpc(size)).isZero();
      }
      assertThat(posted(20_000)).isEqualTo("429");
      assertThat(chunked(20_000)).isEqualTo("429");
      assertThat(grpc(20_000)).isEqualTo("8");
      assertThat(brpc(20_000)).isNotZero();
    }
  }
}
