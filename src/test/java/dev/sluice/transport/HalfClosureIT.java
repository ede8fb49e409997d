package dev.sluice.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.config.security.TlsConfig;
import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.BrpcClient.Call;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.SelfSigned;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Clients that send a request and shut down their own direction of the connection, as {@code nc -N}
 * does. Nothing tells them from clients that have left until something is written to them: what is
 * answered is sent to its end, and what is still being computed is cancelled.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HalfClosureIT {
  private static final int TIMEOUT_MILLIS = 20_000;

  /** More than the system's buffers of a connection take. */
  private static final int LARGE = 16 * 1024 * 1024;

  /** How far an answer is by the time of a client's FIN is up to chance. */
  private static final int CLIENTS = 10;

  @TempDir private static Path folder;
  private static SelfSigned server;

  /** What clients speak to the listener on. */
  enum Wire {
    NIO,
    EPOLL,
    IO_URING,
    TLS;

    private Transport sockets() {
      return switch (this) {
        case NIO, TLS -> Transport.NIO;
        case EPOLL -> Transport.EPOLL;
        case IO_URING -> Transport.IO_URING;
      };
    }
  }

  @BeforeAll
  static void makeCertificate() {
    server = SelfSigned.create(folder, "server");
  }

  /** Nothing that requests hold is left when it closes: it fails otherwise. */
  private static EchoListener listen(Wire wire, LimitsConfig limits) {
    assumeThat(wire.sockets().available()).isTrue();
    var tls = new TlsConfig(server.certificate(), server.key(), Optional.empty());
    return new EchoListener(
        limits, wire == Wire.TLS ? Optional.of(tls) : Optional.empty(), wire.sockets());
  }

  private static EchoListener listen(Wire wire) {
    return listen(wire, LimitsConfig.DEFAULT);
  }

  private static Socket connect(Wire wire, EchoListener to)
      throws IOException, GeneralSecurityException {
    Socket socket = wire == Wire.TLS ? encrypted() : new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.port()));
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  private static Socket encrypted() throws IOException, GeneralSecurityException {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(server.store());
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context.getSocketFactory().createSocket();
  }

  private static byte[] request(String path, byte[] body) {
    String type = path.startsWith("/test.") ? "application/grpc-web" : "text/plain";
    byte[] head =
        "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, type, body.length)
            .getBytes(US_ASCII);
    return ByteBuffer.allocate(head.length + body.length).put(head).put(body).array();
  }

  private static byte[] large() {
    byte[] bytes = new byte[LARGE];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private static String rest(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "TLS")
  void whatIsAnsweredAtOnceIsAnsweredPipelinedOrNot(Wire wire) throws Exception {
    try (var listener = listen(wire);
        Socket socket = connect(wire, listener)) {
      String requests = new String(request("/echo", "one".getBytes(US_ASCII)), US_ASCII);
      requests += new String(request("/echo", "two".getBytes(US_ASCII)), US_ASCII);
      socket.getOutputStream().write(requests.getBytes(US_ASCII));
      socket.shutdownOutput();
      assertThat(rest(socket)).containsSubsequence("200 OK", "one", "200 OK", "two");
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersThatAreUnderWayAreSentToTheirEnd(Wire wire) throws Exception {
    byte[] body = large();
    sentToTheirEnd(wire, request("/echo", body), body);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "TLS")
  void answersOfBrpcThatAreUnderWayAreSentToTheirEnd(Wire wire) throws Exception {
    byte[] body = large();
    sentToTheirEnd(wire, new Call("test.Echo", "Echo", 1).frame(body), body);
  }

  private static void sentToTheirEnd(Wire wire, byte[] request, byte[] body) throws Exception {
    try (var listener = listen(wire)) {
      for (int i = 0; i < CLIENTS; i++) {
        try (Socket socket = connect(wire, listener)) {
          socket.getOutputStream().write(request);
          assertThat(socket.getInputStream().read()).isPositive();
          socket.shutdownOutput();
          byte[] answer = socket.getInputStream().readAllBytes();
          int from = Math.max(0, answer.length - body.length);
          assertThat(Arrays.equals(answer, from, answer.length, body, 0, body.length))
              .as("%d bytes of %d have come", answer.length, body.length)
              .isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCallThatIsBeingComputedIsCancelled(Wire wire) throws Exception {
    try (var listener = listen(wire);
        Socket socket = connect(wire, listener)) {
      socket.getOutputStream().write(request("/test.Echo/Hold", new byte[5]));
      listener.held().awaitCalls(1);
      socket.shutdownOutput();
      listener.held().awaitDisconnected(1);
      assertThat(rest(socket)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "TLS")
  void callsOfBrpcThatAreBeingComputedAreCancelled(Wire wire) throws Exception {
    try (var listener = listen(wire);
        Socket socket = connect(wire, listener)) {
      for (int id = 1; id <= 2; id++) {
        socket.getOutputStream().write(new Call("test.Echo", "Hold", id).frame(new byte[9]));
      }
      listener.held().awaitCalls(2);
      socket.shutdownOutput();
      listener.held().awaitDisconnected(2);
      assertThat(rest(socket)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRequestWhoseBodyIsNotWholeIsDroppedAtOnce(Wire wire) throws Exception {
    try (var listener = listen(wire);
        Socket socket = connect(wire, listener)) {
      byte[] request = request("/landed", large());
      socket.getOutputStream().write(request, 0, request.length / 2);
      socket.shutdownOutput();
      assertThat(rest(socket)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatDoesNotReadTheRestIsNotWaitedForLongerThanOthers(Wire wire) throws Exception {
    var connection =
        RecordCopy.with(LimitsConfig.DEFAULT.connection(), "writeTimeout", Duration.ofMillis(200));
    var limits = RecordCopy.with(LimitsConfig.DEFAULT, "connection", connection);
    try (var listener = listen(wire, limits);
        Socket socket = connect(wire, listener)) {
      socket.getOutputStream().write(request("/echo", large()));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      socket.shutdownOutput();
      while (listener.memory().held() > 0) {
        Thread.onSpinWait();
      }
    }
  }
}
