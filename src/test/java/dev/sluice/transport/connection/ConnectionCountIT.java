package dev.sluice.transport.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConnectionCountIT {
  private static final String REQUEST =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

  private static LimitsConfig limits(int connections) {
    LimitsConfig defaults = LimitsConfig.DEFAULT;
    return new LimitsConfig(
        defaults.maxBodySize(),
        defaults.maxInflatedSize(),
        defaults.offloadSize(),
        Duration.ZERO,
        Duration.ZERO,
        connections);
  }

  /** The first byte of the answer; -1 if the connection was closed without one. */
  private static int ask(Socket socket) {
    try {
      socket.getOutputStream().write(REQUEST.getBytes(US_ASCII));
      return socket.getInputStream().read();
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  void oneConnectionTooManyIsClosedAndTheOthersAreAnswered() throws IOException {
    try (EchoListener listener = new EchoListener(limits(2));
        Socket first = new Socket("localhost", listener.port());
        Socket second = new Socket("localhost", listener.port())) {
      assertThat(ask(first)).isEqualTo('H');
      assertThat(ask(second)).isEqualTo('H');
      try (Socket third = new Socket("localhost", listener.port())) {
        assertThat(ask(third)).isEqualTo(-1);
      }
      assertThat(first.isClosed()).isFalse();
    }
  }

  @Test
  void withoutALimitAllAreAnswered() throws IOException {
    try (EchoListener listener = new EchoListener(limits(0));
        Socket first = new Socket("localhost", listener.port());
        Socket second = new Socket("localhost", listener.port())) {
      assertThat(ask(first)).isEqualTo('H');
      assertThat(ask(second)).isEqualTo('H');
    }
  }

  @Test
  void releasingAdmitsAnother() {
    var count = new ConnectionCount("test", 1, 0, new ConnectionMemory(1 << 20), () -> 0);
    assertThat(count.enter(null)).isTrue();
    assertThat(count.enter(null)).isFalse();
    count.leave(null);
    assertThat(count.enter(null)).isTrue();
  }
}
