package dev.sluice.transport.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RawCalls;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Large bodies with raw tensors are collected in native memory, and none of it is forgotten. */
@Timeout(60)
class NativeBodyIT {
  private static final int MAX_BODY = 1_000_000;

  private static EchoListener listener;
  private static HttpCaller http;
  private static ManagedChannel channel;
  private long before;

  @BeforeAll
  static void open() {
    listener =
        new EchoListener(
            new LimitsConfig(MAX_BODY, MAX_BODY, 50_000, Duration.ZERO, Duration.ZERO, 0));
    http = new HttpCaller(listener.port());
    channel =
        ManagedChannelBuilder.forAddress("localhost", listener.port())
            .usePlaintext()
            .maxInboundMessageSize(2 * MAX_BODY)
            .build();
  }

  @AfterAll
  static void close() {
    channel.shutdownNow();
    http.close();
    listener.close();
  }

  @BeforeEach
  void count() {
    before = TensorMemory.openBlocks();
  }

  @AfterEach
  void nothingIsLeftOpen() {
    awaitBlocks(0);
  }

  /** What the server frees when a connection ends, it frees a little after the client has gone. */
  private void awaitBlocks(int more) {
    while (TensorMemory.openBlocks() != before + more) {
      Thread.onSpinWait();
    }
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  /** A message with one field of bytes, number 1. */
  private static byte[] message(int size) {
    byte[] content = random(size);
    Buffer message = Buffer.buffer().appendByte((byte) 10);
    for (int rest = size; rest != 0; rest >>>= 7) {
      message.appendByte((byte) (rest > 0x7F ? rest | 0x80 : rest));
    }
    return message.appendBytes(content).getBytes();
  }

  @Test
  void bodiesOfAnySizeArriveWhole() {
    for (int size : new int[] {0, 1, 1_000, 65_536, 300_000, MAX_BODY}) {
      byte[] body = random(size);
      assertThat(http.send("POST", "/landed", Buffer.buffer(body)).body().getBytes())
          .isEqualTo(body);
    }
  }

  @Test
  void messagesOfAnySizeArriveWhole() {
    for (int size : new int[] {1, 1_000, 65_536, 300_000, MAX_BODY - 10}) {
      byte[] message = message(size);
      assertThat(RawCalls.send(channel, "test.Echo/Landed", message)).isEqualTo(message);
    }
  }

  @Test
  void aMessageBeyondTheLimitIsRefused() {
    assertThatThrownBy(() -> RawCalls.send(channel, "test.Echo/Landed", message(MAX_BODY + 1)))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("limits.max_body_size");
  }

  @Test
  void failingHandlerLeaksNoMemory() {
    byte[] body = random(200_000);
    body[0] = '!';
    assertThat(http.send("POST", "/landed", Buffer.buffer(body)).status()).isEqualTo(500);
  }

  @Test
  void aClientThatLeavesInTheMiddleLeavesNoMemory() throws IOException {
    try (var socket = new Socket("localhost", listener.port())) {
      String head = "POST /landed HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n";
      socket.getOutputStream().write((head + "a beginning").getBytes(US_ASCII));
      awaitBlocks(1);
    }
  }

  @RepeatedTest(10)
  void bodiesThatAreSentBeforeTheirTurnArriveWholeAndInOrder() throws Exception {
    byte[][] bodies = {random(70_000), random(10), random(300_000), random(200_000)};
    Buffer held = Buffer.buffer().appendByte((byte) 0).appendInt(2).appendString("hi");
    try (var socket = new Socket("localhost", listener.port())) {
      Buffer sent = request("/test.Echo/Hold", "application/grpc-web", held.getBytes());
      for (byte[] body : bodies) {
        sent.appendBuffer(request("/landed", "application/octet-stream", body));
      }
      sent.appendBuffer(request("/landed", "text/plain\r\nConnection: close", random(20)));
      Thread.ofVirtual().start(() -> write(socket, sent));
      listener.held().awaitCalls(1);
      listener.held().release();
      String answers = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      int at = 0;
      for (byte[] body : bodies) {
        at = answers.indexOf(text(body), at) + body.length;
        assertThat(at).isGreaterThanOrEqualTo(body.length);
      }
      assertThat(answers.substring(at)).endsWith(text(random(20)));
    }
  }

  private static Buffer request(String path, String type, byte[] body) {
    return Buffer.buffer("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: " + type)
        .appendString("\r\nContent-Length: " + body.length + "\r\n\r\n")
        .appendBytes(body);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }

  private static void write(Socket socket, Buffer bytes) {
    try {
      socket.getOutputStream().write(bytes.getBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The status line in the trailers of a call whose body is not what a library would send. */
  private static String callWeb(Buffer framed) throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create(listener.url() + "/test.Echo/Landed"))
              .header("content-type", "application/grpc-web")
              .POST(BodyPublishers.ofByteArray(framed.getBytes()));
      return client.send(request.build(), BodyHandlers.ofString()).body();
    }
  }

  @Test
  void aCallThatEndsBeforeItsMessageDoesLeavesNoMemory() throws Exception {
    Buffer framed = Buffer.buffer().appendByte((byte) 0).appendInt(900_000);
    framed.appendBytes(message(900_000), 0, 20_000);
    assertThat(callWeb(framed)).contains("announces 900000 bytes, but the call has 20000");
  }

  @Test
  void aCallThatGoesOnBehindItsMessageLeavesNoMemory() throws Exception {
    Buffer framed = Buffer.buffer().appendByte((byte) 0).appendInt(70_000);
    framed.appendBytes(message(200_000));
    assertThat(callWeb(framed)).contains("the message announces 70000 bytes, but the call has ");
  }
}
