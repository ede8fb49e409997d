package dev.sluice.transport.grpc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.LimitsConfig;
import dev.sluice.testing.EchoListener;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that are answered on the frames of their connection, beside streams that are not. */
@Timeout(30)
class Http2CallsIT {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private static final Buffer HELLO = frame("hello".getBytes(UTF_8));

  private final EchoListener listener =
      new EchoListener(
          new LimitsConfig(1_000_000, 1_000_000, 1_000_000, Duration.ZERO, Duration.ZERO, 0));
  private final Vertx vertx = Vertx.vertx();
  private HttpClient client;

  @BeforeEach
  void open() {
    client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false),
            new PoolOptions().setHttp2MaxSize(1));
  }

  @AfterEach
  void close() {
    await(vertx.close());
    listener.close();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private static Buffer frame(byte[] message) {
    return Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
  }

  private Future<HttpClientRequest> request(String path) {
    return client.request(HttpMethod.POST, listener.port(), "localhost", path);
  }

  private Future<HttpClientRequest> grpc(String method) {
    return request("/test.Echo/" + method)
        .onSuccess(request -> request.putHeader("content-type", "application/grpc"));
  }

  private Future<Buffer> ask(String method, Buffer message) {
    return grpc(method).compose(request -> request.send(message).compose(HttpClientResponse::body));
  }

  @Test
  void callsAndOtherRequestsShareAConnection() {
    Future<Buffer> held = ask("Hold", HELLO);
    Future<Buffer> plain =
        request("/echo")
            .compose(request -> request.send("plain").compose(HttpClientResponse::body));
    assertThat(await(plain)).isEqualTo(Buffer.buffer("plain"));
    assertThat(await(ask("Echo", HELLO))).isEqualTo(HELLO);
    release();
    assertThat(await(held)).isEqualTo(HELLO);
  }

  private void release() {
    try {
      listener.held().release();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aMessageInManyFramesAndAnAnswerInManyFramesComeWhole() {
    byte[] large = new byte[700_000];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31);
    }
    assertThat(await(ask("Echo", frame(large)))).isEqualTo(frame(large));
  }

  @Test
  void aStreamThatIsResetCancelsItsCall() throws InterruptedException {
    HttpClientRequest request = await(grpc("Hold"));
    await(vertx.executeBlocking(() -> request.end(HELLO)).compose(sent -> sent));
    listener.held().awaitCalls(1);
    request.reset();
    listener.held().awaitLeft(1);
    assertThat(await(ask("Echo", HELLO))).isEqualTo(HELLO);
  }

  @Test
  void aConnectionThatBreaksHttp2EndsAndItsCallsAreCancelled() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket.getOutputStream().write(held(1));
      listener.held().awaitCalls(1);
      socket.getOutputStream().write(http2(DATA, 0, 0, new byte[] {1}));
      listener.held().awaitLeft(1);
      socket.getInputStream().readAllBytes();
    }
    assertThat(await(ask("Echo", HELLO))).isEqualTo(HELLO);
  }

  @Test
  void aConnectionThatGoesAwayCancelsItsCalls() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket.getOutputStream().write(held(3));
      listener.held().awaitCalls(3);
    }
    listener.held().awaitLeft(3);
  }

  /** A new connection with so many calls that wait. */
  private static byte[] held(int calls) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    bytes.writeBytes(http2(SETTINGS, 0, 0, new byte[0]));
    for (int i = 0; i < calls; i++) {
      int stream = 2 * i + 1;
      bytes.writeBytes(http2(HEADERS, END_HEADERS, stream, head()));
      bytes.writeBytes(http2(DATA, END_STREAM, stream, HELLO.getBytes()));
    }
    return bytes.toByteArray();
  }

  /** POST and http by their places in HPACK's static table, the rest as text. */
  private static byte[] head() {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86});
    text(bytes, 0x44, "/test.Echo/Hold");
    text(bytes, 0x41, "localhost");
    text(bytes, 0x5f, "application/grpc");
    return bytes.toByteArray();
  }

  private static void text(ByteArrayOutputStream bytes, int name, String value) {
    bytes.write(name);
    bytes.write(value.length());
    bytes.writeBytes(value.getBytes(US_ASCII));
  }

  private static byte[] http2(int type, int flags, int stream, byte[] payload) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
    return bytes.toByteArray();
  }
}
