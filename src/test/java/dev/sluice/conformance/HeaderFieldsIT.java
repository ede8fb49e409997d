package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.RawHttp2;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RunningServer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request has a hundred headers at most, trailers counted; one more is refused by name. */
class HeaderFieldsIT {
  private static final String LIVE = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n";
  private static final int END_STREAM = 1;

  /** How HPACK writes that the status is 200. */
  private static final char INDEXED_200 = 0x88;

  /** The setting's default, and the host. */
  private static final int ALLOWED = 99;

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.startEmpty();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String small(int count) {
    return "a: b\r\n".repeat(count);
  }

  private static String send(String... pieces) throws IOException {
    try (var socket = new Socket("localhost", server.port())) {
      for (String piece : pieces) {
        socket.getOutputStream().write(piece.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
      }
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @Test
  void headersUpToTheLimitAreRead() throws IOException {
    assertThat(send(LIVE + small(ALLOWED) + "\r\n")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void headerBeyondTheLimitIsRefusedBeforeTheHeadIsWhole() throws IOException {
    assertThat(send(LIVE + small(ALLOWED + 1)))
        .startsWith("HTTP/1.1 431 ")
        .contains("the request has more than 100 headers (setting limits.max_header_fields)");
  }

  @Test
  void eachOfSeveralRequestsHasItsOwnCount() throws IOException {
    String request = LIVE + small(60) + "\r\n";
    assertThat(send(request, request, request + LIVE + small(ALLOWED + 1)))
        .containsSubsequence("HTTP/1.1 200 ", "HTTP/1.1 200 ", "HTTP/1.1 200 ", "HTTP/1.1 431 ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/models/none:predict", "/v2/repository/index"})
  void trailersCount(String path) throws IOException {
    String request =
        "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    assertThat(send(request + "2\r\n{}\r\n0\r\n" + small(ALLOWED - 1) + "\r\n"))
        .startsWith("HTTP/1.1 ")
        .doesNotContain("limits.max_header_fields");
    assertThat(send(request + "2\r\n{}\r\n0\r\n" + small(ALLOWED) + "\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("limits.max_header_fields");
  }

  @Test
  void streamWithMoreIsRefusedAndNoOther() throws IOException {
    try (var socket = new Socket("localhost", server.port())) {
      var bytes = new ByteArrayOutputStream();
      bytes.writeBytes(RawHttp2.PREFACE);
      bytes.writeBytes(RawHttp2.SETTINGS);
      bytes.writeBytes(RawHttp2.head(END_STREAM, 1, head(ALLOWED + 2)));
      bytes.writeBytes(RawHttp2.head(END_STREAM, 3, head(ALLOWED + 1)));
      socket.getOutputStream().write(bytes.toByteArray());
      var in = new DataInputStream(socket.getInputStream());
      List<String> statuses = new ArrayList<>();
      while (statuses.size() < 2) {
        Frame answer = Frame.await(in, RawHttp2.HEADERS);
        boolean ok = new String(answer.payload(), ISO_8859_1).indexOf(INDEXED_200) >= 0;
        statuses.add(answer.stream() + (ok ? " 200" : " refused"));
      }
      assertThat(statuses).containsExactly("1 refused", "3 200");
    }
  }

  private static List<String> head(int more) {
    List<String> head =
        new ArrayList<>(List.of(":method", "GET", ":scheme", "http", ":path", "/v2/health/live"));
    head.addAll(List.of(":authority", "localhost"));
    for (int i = 0; i < more; i++) {
      head.addAll(List.of("a", "b"));
    }
    return head;
  }
}
