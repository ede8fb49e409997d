package dev.sluice.transport;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.HEADERS;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.RST_STREAM;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.SETTINGS_ACK;
import static dev.sluice.testing.RawHttp2.WINDOW_UPDATE;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static dev.sluice.testing.RawHttp2.messageHead;
import static dev.sluice.testing.RawHttp2.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RecordCopy;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests that are answered before they are whole, on an HTTP/2 connection whose window they have
 * used up: others on the connection go on.
 */
@Timeout(60)
class UnfinishedStreamIT {
  private static final int MIB = 1024 * 1024;
  private static final int MEMORY = 16 * MIB;

  /** What the streams use of the connection's window, of which half may be returned late. */
  private static final int STREAMS = 3;

  private static final int OF_STREAM = 4 * MIB;
  private static final int RETURNED_LATE = 8 * MIB;
  private static final int NEXT = 2 * STREAMS + 1;

  private final List<Socket> sockets = new ArrayList<>();
  private EchoListener listener;

  @BeforeEach
  void listen() {
    listener =
        new EchoListener(
            RecordCopy.with(
                new LimitsConfig(64 * MIB, 64 * MIB, MIB, Duration.ZERO, Duration.ZERO, 0),
                "memory",
                (long) MEMORY));
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    listener.close();
  }

  private Socket connect() throws IOException {
    var socket = new Socket("localhost", listener.port());
    socket.setSoTimeout(20_000);
    sockets.add(socket);
    socket.getOutputStream().write(joined(PREFACE, SETTINGS, SETTINGS_ACK));
    return socket;
  }

  /** Others hold the memory: messages that have been announced, of which nothing more arrives. */
  private void useAllMemory() throws IOException {
    while (listener.memory().free(Long.MAX_VALUE) > MIB) {
      Socket other = connect();
      for (int stream = 1; stream < 80; stream += 2) {
        byte[] data = frame(DATA, 0, stream, joined(messageHead(MIB / 2), new byte[1_000]));
        other.getOutputStream().write(joined(headers(stream, "/test.Echo/Echo"), data));
      }
      // Answered behind the others.
      other.getOutputStream().write(health(81));
      awaitEnd(new DataInputStream(other.getInputStream()), 81);
    }
  }

  private static byte[] health(int stream) {
    byte[] data = frame(DATA, 1, stream, messageHead(0));
    return joined(headers(stream, "/test.Echo/Echo"), data);
  }

  private static void awaitEnd(DataInputStream in, int stream) throws IOException {
    Frame frame = Frame.read(in);
    while (frame.stream() != stream || !frame.ends()) {
      frame = Frame.read(in);
    }
  }

  private static void upload(Socket to, int stream) throws IOException {
    int most = 16_384;
    byte[] first = joined(messageHead(OF_STREAM + 2 * MIB), new byte[most - 5]);
    to.getOutputStream().write(frame(DATA, 0, stream, first));
    for (int sent = most; sent < OF_STREAM; sent += most) {
      to.getOutputStream().write(frame(DATA, 0, stream, new byte[most]));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/test.Echo/Echo, application/grpc, 30S",
    "/test.Echo/Echo, application/grpc, 300m",
    "/test.Echo/Echo, application/grpc-web, 30S",
    "/test.Echo/Echo, application/grpc-web, 300m",
    "/test.Echo/Echo, application/grpc-web-text, 300m",
    "/test.Echo/Stall, application/grpc, 30S",
    "/test.Echo/Stall, application/grpc, 300m",
    "/test.Echo/Stall, application/grpc-web, 300m",
    "/test.Echo/None, application/grpc, 30S",
    "/echo, application/octet-stream, 30S",
    "/none, application/octet-stream, 30S",
  })
  void othersOnTheConnectionGoOn(String path, String type, String timeout) throws IOException {
    useAllMemory();
    Socket socket = connect();
    for (int stream = 1; stream < NEXT; stream += 2) {
      socket.getOutputStream().write(post(stream, path, type, "grpc-timeout", timeout));
      upload(socket, stream);
    }
    var in = new DataInputStream(socket.getInputStream());
    Set<Integer> unanswered = new HashSet<>(List.of(1, 3, 5));
    long used = (long) STREAMS * OF_STREAM;
    // The window that the connection begins with besides is given at once.
    long atStart = Frame.await(in, WINDOW_UPDATE).number();
    while (!unanswered.isEmpty() || used > RETURNED_LATE) {
      Frame frame = Frame.read(in);
      if (frame.type() == WINDOW_UPDATE && frame.stream() == 0) {
        used -= frame.number();
      } else if (frame.ends()) {
        unanswered.remove(frame.stream());
      }
    }
    assertThat(atStart).isGreaterThan((long) STREAMS * OF_STREAM - 65_535);
    socket.getOutputStream().write(health(NEXT));
    awaitEnd(in, NEXT);
  }

  /** RFC 9113, section 8.1: an error would hide the answer from some clients. */
  @Test
  void clientIsAskedToStopSendingWhatNobodyWillRead() throws IOException {
    Socket socket = connect();
    socket
        .getOutputStream()
        .write(post(1, "/test.Echo/Echo", "application/grpc", "grpc-timeout", "never"));
    var in = new DataInputStream(socket.getInputStream());
    assertThat(Frame.await(in, HEADERS).ends()).isTrue();
    assertThat(Frame.await(in, RST_STREAM).number()).isZero();
  }
}
