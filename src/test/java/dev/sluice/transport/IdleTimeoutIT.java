package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.ConnectionConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RecordCopy;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Connections on which nothing happens for the time of {@code limits.idle_timeout}. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class IdleTimeoutIT {
  private static final Duration IDLE = Duration.ofMillis(300);

  private static final byte[] REQUEST = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);

  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};
  private static final byte[] SETTINGS_ACK = {0, 0, 0, 4, 1, 0, 0, 0, 0};

  /** The other limits of a connection are off: none of them can be what closes it. */
  private static final ConnectionConfig NO_LIMITS =
      new ConnectionConfig(0, 0, 100, Duration.ZERO, 0, Duration.ZERO);

  private static EchoListener listener;

  @BeforeAll
  static void open() {
    listener = new EchoListener(limits(IDLE));
  }

  @AfterAll
  static void close() {
    listener.close();
  }

  private static LimitsConfig limits(Duration idle) {
    return RecordCopy.with(
        RecordCopy.with(LimitsConfig.DEFAULT, "idleTimeout", idle), "connection", NO_LIMITS);
  }

  private static Socket connect(EchoListener to) throws IOException {
    return new Socket("localhost", to.port());
  }

  private static void awaitEnd(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    while (in.read() >= 0) {
      // Rest of an answer, settings, the goodbye of HTTP/2.
    }
  }

  private static void ask(Socket socket) throws IOException {
    socket.getOutputStream().write(REQUEST);
    InputStream in = socket.getInputStream();
    var seen = new StringBuilder();
    while (seen.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("the connection ended after '%s'", seen).isNotNegative();
      seen.append((char) next);
    }
    assertThat(seen).startsWith("HTTP/1.1 ").containsIgnoringCase("content-length: 0");
  }

  @Test
  void aConnectionThatHasSentNothingIsClosed() throws IOException {
    try (Socket socket = connect(listener)) {
      awaitEnd(socket);
    }
  }

  @Test
  void anHttp1ConnectionBetweenRequestsIsClosed() throws IOException {
    try (Socket socket = connect(listener)) {
      ask(socket);
      awaitEnd(socket);
    }
  }

  @Test
  void anHttp2ConnectionWithoutStreamsIsClosed() throws IOException {
    try (Socket socket = connect(listener)) {
      socket.getOutputStream().write(PREFACE);
      socket.getOutputStream().write(SETTINGS);
      socket.getOutputStream().write(SETTINGS_ACK);
      awaitEnd(socket);
    }
  }

  @Test
  void aBrpcConnectionBetweenCallsIsClosed() throws IOException {
    try (var client = new BrpcClient(listener.port())) {
      client.ask(new BrpcClient.Call("test.Echo", "Echo", 1), new byte[3]);
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void aConnectionThatIsUsedStaysOpen() throws IOException {
    try (Socket socket = connect(listener)) {
      long end = System.nanoTime() + 4 * IDLE.toNanos();
      while (System.nanoTime() < end) {
        ask(socket);
      }
    }
  }

  @Test
  void withoutTheTimeoutASilentConnectionStaysOpen() throws IOException {
    try (var patient = new EchoListener(limits(Duration.ZERO));
        Socket quiet = connect(patient);
        Socket closed = connect(listener)) {
      ask(quiet);
      awaitEnd(closed);
      ask(quiet);
    }
  }
}
