package dev.sluice.transport;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static dev.sluice.testing.RawHttp2.messageHead;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RecordCopy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One client that takes all the memory it can get, and another with a large request. */
@Timeout(60)
class MemoryShareIT {
  private static final int MIB = 1024 * 1024;
  private static final int MEMORY = 16 * MIB;

  /** As large as the answer to it: what the greedy one leaves is enough for both. */
  private static final int LARGE = 2 * MIB;

  /** Calls of 1 MiB that a client holds: some less than its share. */
  private static final int HELD = 6;

  private final List<Socket> sockets = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // Each test listens first.
  private EchoListener listener;

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    listener.close();
  }

  /**
   * @param mostOfPeer connections of one address
   */
  private void listen(int mostOfPeer) {
    listener =
        new EchoListener(
            RecordCopy.with(
                RecordCopy.with(
                    new LimitsConfig(64 * MIB, 64 * MIB, MIB, Duration.ZERO, Duration.ZERO, 0),
                    "memory",
                    (long) MEMORY),
                "connection.maxConnectionsPerPeer",
                mostOfPeer));
  }

  /** Connects from an address of this machine. */
  private Socket connect(String from) throws IOException {
    var loopback = InetAddress.ofLiteral("127.0.0.1");
    var socket = new Socket(loopback, listener.port(), InetAddress.ofLiteral(from), 0);
    socket.setSoTimeout(20_000);
    sockets.add(socket);
    return socket;
  }

  /** The status of a POST. */
  private String post(String from, int bytes) throws IOException {
    try (Socket socket = connect(from)) {
      begin(socket, bytes);
      socket.getOutputStream().write(new byte[bytes]);
      return status(socket);
    }
  }

  private static void begin(Socket socket, int bytes) throws IOException {
    socket
        .getOutputStream()
        .write(
            "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                .formatted(bytes)
                .getBytes(US_ASCII));
  }

  private static String status(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), US_ASCII).substring(9);
  }

  /** Waits until requests hold this much. */
  private void awaitHeld(long bytes) {
    while (listener.memory().held() < bytes) {
      Thread.onSpinWait();
    }
  }

  @Test
  void manyStreamsOfOneConnectionLeaveMemoryToOthers() throws Exception {
    listen(0);
    Socket greedy = connect("127.0.0.1");
    greedy.getOutputStream().write(joined(PREFACE, SETTINGS));
    for (int stream = 1; stream < 80; stream += 2) {
      byte[] begun = headers(stream, "/test.Echo/Echo");
      byte[] data = frame(DATA, 0, stream, joined(messageHead(MIB), new byte[1_000]));
      greedy.getOutputStream().write(joined(begun, data));
    }
    awaitHeld(7 * MIB);
    while (listener.memory().refusals() == 0) {
      assertThat(post("127.0.0.1", LARGE)).isEqualTo("200");
      assertThat(listener.memory().held()).isLessThan(MEMORY / 2 + 2 * LARGE + MIB);
    }
    assertThat(post("127.0.0.1", LARGE)).isEqualTo("200");
  }

  @Test
  void callsOfOneBrpcConnectionLeaveMemoryToOthers() throws Exception {
    listen(0);
    try (var greedy = new BrpcClient(listener.port())) {
      for (int call = 0; call < HELD; call++) {
        hold(greedy, call, MIB);
        // A message may count twice while its pieces are joined.
        listener.held().awaitCalls(call + 1);
      }
      for (int call = 0; call < 7; call++) {
        hold(greedy, HELD + call, MEMORY / 2 - HELD * MIB);
        assertThat(greedy.answer().errorText()).contains("this client's share", "limits.memory");
      }
      assertThat(post("127.0.0.1", LARGE)).isEqualTo("200");
      for (int call = 0; call < HELD; call++) {
        listener.held().release();
        assertThat(greedy.answer().errorCode()).isZero();
      }
    }
  }

  private static void hold(BrpcClient client, int id, int bytes) throws IOException {
    client.send(new BrpcClient.Call("test.Echo", "Hold", id).frame(new byte[bytes]));
  }

  @Test
  void connectionsOfOneAddressHaveOneShareWhereAddressesAreLimited() throws Exception {
    listen(100);
    Socket first = connect("127.0.0.1");
    begin(first, 6 * MIB);
    awaitHeld(6 * MIB);
    Socket second = connect("127.0.0.1");
    begin(second, 6 * MIB);
    assertThat(status(second)).isEqualTo("429");
    assertThat(post("127.0.0.2", LARGE)).isEqualTo("200");
    first.getOutputStream().write(new byte[6 * MIB]);
    assertThat(status(first)).isEqualTo("200");
  }

  @Test
  void aSingleRequestMayBeAsLargeAsTheBudgetAllowsAndSoMayItsAnswer() throws Exception {
    listen(100);
    assertThat(post("127.0.0.1", 5 * MIB + MIB / 2)).isEqualTo("200");
    assertThat(post("127.0.0.1", 7 * MIB + MIB / 2)).isEqualTo("413");
  }

  @Test
  void clientsThatTakeTheirSharesLeaveSomethingToFurtherOnes() throws Exception {
    listen(0);
    for (int client = 0; client < 20; client++) {
      begin(connect("127.0.0.1"), MIB);
    }
    awaitHeld(12 * MIB);
    assertThat(post("127.0.0.1", MIB / 4)).isEqualTo("200");
  }
}
