package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.config.server.ConnectionConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RawHttp2;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RecordCopy;
import dev.sluice.transport.netty.ConnectionGuard;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Clients that begin something and do not go on with it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class ConnectionGuardIT {
  private static final Duration SHORT = Duration.ofMillis(200);

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] SETTINGS = frame(4, 0, 0, new byte[0]);

  /** Every stream's window is closed. */
  private static final byte[] NO_WINDOW = frame(4, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});

  private static final int RST_STREAM = 3;

  private static EchoListener listener;

  @BeforeAll
  static void open() {
    listener = new EchoListener(limits(new ConnectionConfig(0, 0, 100, SHORT, 1_000, SHORT)));
  }

  @AfterAll
  static void close() {
    listener.close();
  }

  private static LimitsConfig limits(ConnectionConfig connection) {
    return RecordCopy.with(LimitsConfig.DEFAULT, "connection", connection);
  }

  private static Socket connect(byte[]... writes) throws IOException {
    var socket = new Socket("localhost", listener.port());
    for (byte[] bytes : writes) {
      socket.getOutputStream().write(bytes);
    }
    return socket;
  }

  private static void assertClosed(Socket socket) throws IOException {
    try (socket) {
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        // Settings and the like.
      }
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    var frame = new ByteArrayOutputStream();
    frame.write(payload.length >> 16);
    frame.write(payload.length >> 8);
    frame.write(payload.length);
    frame.write(type);
    frame.write(flags);
    frame.writeBytes(new byte[] {0, 0, 0, (byte) stream});
    frame.writeBytes(payload);
    return frame.toByteArray();
  }

  private static byte[] headers(int stream) {
    var block = new ByteArrayOutputStream();
    block.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86, 4, 15});
    block.writeBytes(ascii("/test.Echo/Echo"));
    block.writeBytes(new byte[] {1, 9});
    block.writeBytes(ascii("localhost"));
    block.writeBytes(new byte[] {15, 16, 16});
    block.writeBytes(ascii("application/grpc"));
    return frame(1, 4, stream, block.toByteArray());
  }

  /** Reads frames until one of this type comes. */
  private static void awaitFrame(Socket socket, int type) throws IOException {
    Frame.await(new DataInputStream(socket.getInputStream()), type);
  }

  @Test
  void aSilentConnectionIsClosed() throws IOException {
    assertClosed(connect());
  }

  @Test
  void aHeadThatDoesNotEndIsClosed() throws IOException {
    assertClosed(connect(ascii("GET /echo HTTP/1.1\r\nHost: a\r\nX: ")));
  }

  @Test
  void theLogSaysWhetherAnythingHadArrivedAndOnWhichListener() throws IOException {
    var log = (Logger) LoggerFactory.getLogger(ConnectionGuard.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    log.addAppender(lines);
    try {
      assertClosed(connect());
      assertClosed(connect(ascii("GET /echo HTTP/1.1\r\nHost: a\r\nX: ")));
      Polling.await("two lines", () -> lines.list.size() >= 2);
      assertThat(lines.list.toString())
          .contains("no request has begun", "its first request does not begin within the time");
      assertThat(lines.list.getFirst().getKeyValuePairs().toString()).contains("listener=");
    } finally {
      log.detachAppender(lines);
    }
  }

  @Test
  void aSecondHeadThatDoesNotEndIsClosed() throws IOException {
    Socket socket = connect(ascii("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
    assertThat(socket.getInputStream().read()).isEqualTo('H');
    socket.getOutputStream().write(ascii("GET /echo HTTP/1.1\r\n"));
    assertClosed(socket);
  }

  @Test
  void aBodyThatDoesNotGoOnIsClosed() throws IOException {
    assertClosed(connect(ascii("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx")));
  }

  @Test
  void aPrefaceWithoutSettingsIsClosed() throws IOException {
    assertClosed(connect(PREFACE));
  }

  @Test
  void aFrameThatDoesNotEndIsClosed() throws IOException {
    assertClosed(connect(PREFACE, SETTINGS, new byte[] {0, 9, 9, 1, 4, 0, 0}));
  }

  @Test
  void aStreamWhoseBodyDoesNotGoOnIsReset() throws IOException {
    try (Socket socket = connect(PREFACE, SETTINGS, headers(1), frame(0, 0, 1, new byte[6]))) {
      awaitFrame(socket, RST_STREAM);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/test.Echo/Echo, application/grpc",
    "/test.Echo/Echo, application/grpc-web",
    "/grpc.health.v1.Health/Check, application/grpc",
    "/grpc.health.v1.Health/Watch, application/grpc",
    "/echo, application/octet-stream",
    "/none, application/octet-stream",
  })
  void aStreamWhoseClientOpensNoWindowIsReset(String path, String type) throws IOException {
    byte[] head = RawHttp2.headers(1, path, type);
    byte[] message = {0, 0, 0, 0, 0};
    try (Socket socket = connect(PREFACE, NO_WINDOW, head, frame(0, 1, 1, message))) {
      awaitFrame(socket, RST_STREAM);
    }
  }

  /** All others wait as well: the window is that of their connection. */
  @Test
  void streamsBehindOneThatHasUsedTheConnectionsWindowAreResetToo() throws IOException {
    byte[] settings = frame(4, 0, 0, new byte[] {0, 4, 0, 1, 0, 0});
    byte[] first = RawHttp2.headers(1, "/echo", "application/octet-stream");
    byte[] second = RawHttp2.headers(3, "/echo", "application/octet-stream");
    try (Socket socket = connect(PREFACE, settings, RawHttp2.SETTINGS_ACK, first)) {
      for (int i = 0; i < 5; i++) {
        socket.getOutputStream().write(frame(0, i / 4, 1, new byte[16_384]));
      }
      var in = new DataInputStream(socket.getInputStream());
      int left = 65_535;
      while (left > 0) {
        left -= Frame.await(in, RawHttp2.DATA).payload().length;
      }
      socket.getOutputStream().write(second);
      socket.getOutputStream().write(frame(0, 1, 3, new byte[10]));
      List<Integer> reset = new ArrayList<>();
      while (reset.size() < 2) {
        reset.add(Frame.await(in, RST_STREAM).stream());
      }
      assertThat(reset).containsExactlyInAnyOrder(1, 3);
    }
  }

  @Test
  void aFloodOfPingsIsEnded() throws IOException {
    try (Socket socket = connect(PREFACE, SETTINGS, frame(4, 1, 0, new byte[0]))) {
      byte[] ping = frame(6, 0, 0, new byte[8]);
      var flood = new ByteArrayOutputStream();
      for (int i = 0; i < 20_000; i++) {
        flood.writeBytes(ping);
      }
      Thread.ofVirtual().start(() -> write(socket, flood.toByteArray()));
      assertClosed(socket);
    }
  }

  private static void write(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // The server has ended the connection.
    }
  }

  @Test
  void aBrpcFrameThatDoesNotEndIsClosed() throws IOException {
    byte[] call = new BrpcClient.Call("test.Echo", "Echo", 1).frame(new byte[10]);
    assertClosed(connect(java.util.Arrays.copyOf(call, call.length - 5)));
  }

  @Test
  void aClientThatDoesNotReadItsAnswersIsClosed() throws IOException {
    try (Socket socket = connect()) {
      byte[] body = new byte[1 << 20];
      byte[] head =
          ascii("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length + "\r\n\r\n");
      OutputStream out = socket.getOutputStream();
      assertThat(
              org.assertj.core.api.Assertions.catchThrowable(() -> {
                while (true) {
                  out.write(head);
                  out.write(body);
                }
              }))
          .isInstanceOf(SocketException.class);
    }
  }

  @Test
  void anHttp2ConnectionWithoutCallsStaysOpen() throws IOException {
    try (Socket quiet = connect(PREFACE, SETTINGS)) {
      awaitFrame(quiet, 4);
      quiet.getOutputStream().write(frame(4, 1, 0, new byte[0]));
      assertClosed(connect());
      quiet.getOutputStream().write(frame(6, 0, 0, new byte[8]));
      awaitFrame(quiet, 6);
    }
  }

  @Test
  void oneAddressHasNoMoreThanItsConnections() throws IOException {
    var two = new ConnectionConfig(0, 2, 100, Duration.ZERO, 0, Duration.ZERO);
    try (var limited = new EchoListener(limits(two));
        var first = new Socket("localhost", limited.port());
        var second = new Socket("localhost", limited.port());
        var third = new Socket("localhost", limited.port())) {
      assertThat(third.getInputStream().read()).isEqualTo(-1);
      for (Socket socket : new Socket[] {first, second}) {
        socket.getOutputStream().write(ascii("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
    }
  }
}
