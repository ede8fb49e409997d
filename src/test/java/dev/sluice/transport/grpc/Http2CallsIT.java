package dev.sluice.transport.grpc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawHttp2.Frame;
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
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int WINDOW_UPDATE = 8;
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
    listener.held().awaitDisconnected(1);
    assertThat(await(ask("Echo", HELLO))).isEqualTo(HELLO);
  }

  @Test
  void aConnectionThatBreaksHttp2EndsAndItsCallsAreCancelled() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket.getOutputStream().write(held(1));
      listener.held().awaitCalls(1);
      socket.getOutputStream().write(http2(DATA, 0, 0, new byte[] {1}));
      listener.held().awaitDisconnected(1);
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
    listener.held().awaitDisconnected(3);
  }

  @Test
  void anAnswerIsCutWhereTheClientsWindowEndsAndGoesOnWhenItOpens() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket.getOutputStream().write(hello(windowOf(3)));
      socket.getOutputStream().write(call(1, "Echo"));
      assertThat(answer(socket, 1)).isEqualTo(HELLO);
    }
  }

  @Test
  void anAnswerThatWaitsForTheClientsWindowIsDroppedWithItsStream() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      OutputStream out = socket.getOutputStream();
      out.write(hello(windowOf(3)));
      out.write(call(1, "Echo"));
      var in = new DataInputStream(socket.getInputStream());
      Frame.await(in, DATA);
      out.write(http2(RST_STREAM, 0, 1, new byte[4]));
      out.write(call(3, "Echo"));
      assertThat(answer(socket, 3)).isEqualTo(HELLO);
    }
  }

  /** Reads an answer in pieces of three bytes, each of which opens the window for the next. */
  private static Buffer answer(Socket socket, int stream) throws IOException {
    var in = new DataInputStream(socket.getInputStream());
    Buffer data = Buffer.buffer();
    Frame frame = Frame.read(in);
    while (frame.flags() != END_HEADERS + END_STREAM) {
      if (frame.type() == DATA) {
        assertThat(frame.stream()).isEqualTo(stream);
        int length = frame.payload().length;
        assertThat(length).isBetween(1, 3);
        data.appendBytes(frame.payload());
        byte[] opened = {0, 0, 0, (byte) length};
        socket.getOutputStream().write(http2(WINDOW_UPDATE, 0, stream, opened));
      }
      frame = Frame.read(in);
    }
    return data;
  }

  /** A new connection with so many calls that wait. */
  private static byte[] held(int calls) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(hello(new byte[0]));
    for (int i = 0; i < calls; i++) {
      bytes.writeBytes(call(2 * i + 1, "Hold"));
    }
    return bytes.toByteArray();
  }

  private static byte[] hello(byte[] settings) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
    bytes.writeBytes(http2(SETTINGS, 0, 0, settings));
    return bytes.toByteArray();
  }

  /** The setting that says how many bytes of each stream the client takes at first. */
  private static byte[] windowOf(int bytes) {
    return new byte[] {0, 4, 0, 0, 0, (byte) bytes};
  }

  private static byte[] call(int stream, String method) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(http2(HEADERS, END_HEADERS, stream, head(method)));
    bytes.writeBytes(http2(DATA, END_STREAM, stream, HELLO.getBytes()));
    return bytes.toByteArray();
  }

  /** POST and http by their places in HPACK's static table, the rest as text. */
  private static byte[] head(String method) {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86});
    text(bytes, 0x44, "/test.Echo/" + method);
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
