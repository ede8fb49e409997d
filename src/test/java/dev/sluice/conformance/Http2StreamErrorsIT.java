package dev.sluice.conformance;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.END_STREAM;
import static dev.sluice.testing.RawHttp2.HEADERS;
import static dev.sluice.testing.RawHttp2.RST_STREAM;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.head;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.RawHttp2;
import dev.sluice.testing.RawHttp2.Frame;
import dev.sluice.testing.RunningServer;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Streams of HTTP/2 that are malformed (RFC 9113, section 8.1.1). A proxy carries the streams of
 * many clients on one connection: one client's stream ends, and no other.
 */
class Http2StreamErrorsIT {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int PROTOCOL_ERROR = 1;
  private static final int GOAWAY = 7;
  private static final int WINDOW = 4 << 20;

  /** How HPACK writes that the status is 200. */
  private static final byte OK = (byte) 0x88;

  private static final List<String> SOUND =
      List.of(":method", "GET", ":scheme", "http", ":path", "/v2", ":authority", "localhost");

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server = RunningServer.startEmpty();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<String> with(String name, String value) {
    List<String> changed = new ArrayList<>(SOUND);
    int at = SOUND.indexOf(name);
    if (at < 0) {
      changed.addAll(List.of(name, value));
    } else {
      changed.set(at + 1, value);
    }
    return changed;
  }

  private static List<String> without(String name) {
    List<String> changed = new ArrayList<>(SOUND);
    int at = SOUND.indexOf(name);
    changed.subList(at, at + 2).clear();
    return changed;
  }

  private static List<String> twice(String name) {
    List<String> changed = new ArrayList<>(SOUND);
    changed.addAll(SOUND.subList(SOUND.indexOf(name), SOUND.indexOf(name) + 2));
    return changed;
  }

  /** The head of a call, which is malformed for its hosts. */
  private static List<String> call(String type, String... hosts) {
    List<String> head =
        new ArrayList<>(
            List.of(
                ":method",
                "POST",
                ":scheme",
                "http",
                ":path",
                "/inference.GRPCInferenceService/ServerLive"));
    boolean authority = hosts[0].equals(":authority");
    head.addAll(List.of(hosts).subList(0, authority ? 2 : 0));
    head.addAll(List.of("content-type", type, "te", "trailers"));
    head.addAll(List.of(hosts).subList(authority ? 2 : 0, hosts.length));
    return head;
  }

  /** The hosts of a REST request, a gRPC call, and one of gRPC-Web. */
  private static Stream<List<String>> hosts(String... hosts) {
    List<String> rest = new ArrayList<>(SOUND.subList(0, SOUND.indexOf(":authority")));
    rest.addAll(List.of(hosts));
    return Stream.of(
        rest,
        call("application/grpc", hosts),
        call("application/grpc+proto", hosts),
        call("application/grpc-web", hosts),
        call("application/grpc-web-text", hosts));
  }

  private static List<String> first(String name, String value) {
    List<String> changed = new ArrayList<>(List.of(name, value));
    changed.addAll(SOUND);
    return changed;
  }

  @SuppressWarnings("unused") // Named by the test below.
  private static final List<List<String>> MALFORMED =
      Stream.of(
              Stream.of("", "G ET", "POST ", "G\0T", "G\u00c9T", "G\r\nX: y", "(GET)", "CONNECT")
                  .map(method -> with(":method", method)),
              Stream.of("", "v2", "?x", "/v2 x", "/v2\t", "/v2\0", "/v2\r\nX: y", "http://other/v2")
                  .map(path -> with(":path", path)),
              Stream.of("", "http ", "ht\0tp", "h(tp").map(scheme -> with(":scheme", scheme)),
              Stream.of(
                      "", "loc alhost", "localhost:x", "a@localhost", "localhost/x", "[::1", "l\0")
                  .map(authority -> with(":authority", authority)),
              Stream.of(":method", ":scheme", ":path").map(Http2StreamErrorsIT::without),
              Stream.of(":method", ":scheme", ":path", ":authority")
                  .map(Http2StreamErrorsIT::twice),
              hosts("host", "localhost", "host", "other"),
              hosts("host", "other", "host", "localhost"),
              hosts("host", "localhost", "host", "localhost"),
              hosts(":authority", "localhost", "host", "other"),
              hosts(":authority", "other", "host", "localhost"),
              hosts(":authority", "localhost", "host", "localhost:1"),
              hosts(":authority", "localhost", "host", ""),
              hosts(":authority", "localhost", "host", "localhost", "host", "other"),
              Stream.of("", "5, 5", "+5", "-5", "5", "99999999999999999999")
                  .map(length -> with("content-length", length)),
              Stream.of(
                  first(":status", "200"),
                  first(":protocol", "websocket"),
                  first(":odd", "x"),
                  first("x", "before the pseudo headers"),
                  with("Upper", "x"),
                  with("connection", "close"),
                  with("keep-alive", "5"),
                  with("proxy-connection", "close"),
                  with("transfer-encoding", "chunked"),
                  with("upgrade", "h2c"),
                  with("te", "gzip"),
                  with("host", "other"),
                  with("", "x"),
                  with("a b", "x"),
                  with("x", "a\r\nb"),
                  with("x", "a\0b")))
          .flatMap(heads -> heads)
          .toList();

  @ParameterizedTest
  @FieldSource("MALFORMED")
  void aMalformedHeadResetsItsStreamAndNoOther(List<String> malformed) throws IOException {
    expectOnlyResetOf(3, head(END_STREAM, 3, malformed));
  }

  @ParameterizedTest
  @FieldSource("MALFORMED")
  void aMalformedHeadBeforeABodyResetsItsStreamAndNoOther(List<String> malformed)
      throws IOException {
    expectOnlyResetOf(
        3, RawHttp2.joined(head(0, 3, malformed), frame(DATA, END_STREAM, 3, json())));
  }

  @ParameterizedTest
  @FieldSource("TRAILERS")
  void malformedTrailersResetTheirStreamAndNoOther(List<String> trailers) throws IOException {
    expectOnlyResetOf(
        3,
        RawHttp2.joined(
            head(0, 3, SOUND), frame(DATA, 0, 3, json()), head(END_STREAM, 3, trailers)));
  }

  @SuppressWarnings("unused") // Named by the test above.
  private static final List<List<String>> TRAILERS =
      List.of(
          List.of(":path", "/v2"),
          List.of("Upper", "x"),
          List.of("connection", "close"),
          List.of("transfer-encoding", "chunked"));

  private static byte[] json() {
    return "{}".getBytes(US_ASCII);
  }

  @Test
  void streamsBeyondTheMostAreRefusedAndNoOther() throws IOException {
    int most = 1_000;
    int refused = 3;
    var sent = new ByteArrayOutputStream();
    sent.writeBytes(RawHttp2.joined(RawHttp2.PREFACE, RawHttp2.SETTINGS));
    for (int i = 0; i < most + refused; i++) {
      sent.writeBytes(RawHttp2.headers(1 + 2 * i, "/v2/repository/index"));
    }
    for (int i = 0; i < most + refused; i++) {
      sent.writeBytes(frame(DATA, END_STREAM, 1 + 2 * i, json()));
    }
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(sent.toByteArray());
      var frames = new DataInputStream(socket.getInputStream());
      int answered = 0;
      Set<Integer> reset = new HashSet<>();
      while (answered < most || reset.size() < refused) {
        Frame frame = Frame.read(frames);
        assertThat(frame.type()).isNotEqualTo(GOAWAY);
        answered += frame.type() == HEADERS ? 1 : 0;
        if (frame.type() == RST_STREAM) {
          reset.add(frame.stream());
        }
      }
      assertThat(answered).isEqualTo(most);
      assertThat(reset).allMatch(of -> of > 2 * most);
    }
  }

  /** A client that is far away has sent a whole window before it knows. */
  @ParameterizedTest
  @ValueSource(ints = {16_384, 1_024, 100})
  void whatIsOnItsWayToAResetStreamIsIgnored(int size) throws IOException {
    var late = new ByteArrayOutputStream();
    late.writeBytes(head(0, 3, with(":method", "G ET")));
    for (int i = 0; i < WINDOW / (size + 9); i++) {
      late.writeBytes(frame(DATA, 0, 3, new byte[size]));
    }
    late.writeBytes(frame(DATA, END_STREAM, 3, new byte[0]));
    expectOnlyResetOf(3, late.toByteArray());
  }

  /** Opens a stream before, ends it behind, and opens one more: both are answered. */
  private static void expectOnlyResetOf(int stream, byte[] malformed) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket
          .getOutputStream()
          .write(
              RawHttp2.joined(
                  RawHttp2.PREFACE,
                  RawHttp2.SETTINGS,
                  RawHttp2.SETTINGS_ACK,
                  RawHttp2.headers(1, "/v2/repository/index"),
                  malformed,
                  frame(DATA, END_STREAM, 1, json()),
                  head(END_STREAM, 5, SOUND)));
      var frames = new DataInputStream(socket.getInputStream());
      int reset = -1;
      List<Integer> answered = new ArrayList<>();
      while (answered.size() < 2 || reset < 0) {
        Frame frame = Frame.read(frames);
        assertThat(frame.type()).isNotEqualTo(GOAWAY);
        if (frame.type() == RST_STREAM) {
          assertThat(reset).as("reset once").isNegative();
          assertThat(frame.stream()).isEqualTo(stream);
          reset = frame.number();
        } else if (frame.type() == HEADERS && frame.stream() != stream) {
          assertThat(frame.payload()).contains(OK);
          answered.add(frame.stream());
        }
      }
      assertThat(reset).isEqualTo(PROTOCOL_ERROR);
      assertThat(answered).containsExactlyInAnyOrder(1, 5);
    }
  }
}
