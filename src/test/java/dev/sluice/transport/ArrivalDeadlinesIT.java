package dev.sluice.transport;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.END_STREAM;
import static dev.sluice.testing.RawHttp2.HEADERS;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.SETTINGS_ACK;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static dev.sluice.testing.RawHttp2.messageHead;
import static dev.sluice.testing.RawHttp2.post;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import dev.sluice.testing.RawHttp2.Frame;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose deadline expires while their client still sends them, or has stopped to. */
@Timeout(60)
class ArrivalDeadlinesIT {
  private static final int MIB = 1024 * 1024;
  private static final Duration OF_SETTINGS = Duration.ofMillis(300);

  private EchoListener listener;
  private Socket socket;
  private DataInputStream in;

  @BeforeEach
  void connect() throws IOException {
    listener =
        new EchoListener(new LimitsConfig(64 * MIB, 64 * MIB, MIB, OF_SETTINGS, Duration.ZERO, 0));
    socket = new Socket("localhost", listener.port());
    socket.setSoTimeout(20_000);
    in = new DataInputStream(socket.getInputStream());
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    listener.close();
  }

  /** All that comes for a stream, as text. */
  private String answer(int stream, boolean base64) throws IOException {
    var text = new StringBuilder();
    Frame frame;
    do {
      frame = Frame.read(in);
      if (frame.stream() == stream) {
        boolean encoded = base64 && frame.type() == DATA;
        byte[] payload = frame.payload();
        text.append(
            new String(encoded ? Base64.getDecoder().decode(payload) : payload, ISO_8859_1));
      }
    } while (frame.stream() != stream || !frame.ends());
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "/test.Echo/Echo, application/grpc, grpc-timeout, 50m, 0",
    "/test.Echo/Echo, application/grpc, grpc-timeout, 50m, 1000",
    "/test.Echo/Echo, application/grpc, grpc-timeout, 30S, 1000",
    "/test.Echo/Landed, application/grpc, grpc-timeout, 50m, 300000",
    "/test.Echo/Echo, application/grpc-web, grpc-timeout, 50m, 0",
    "/test.Echo/Echo, application/grpc-web, grpc-timeout, 50m, 1000",
    "/test.Echo/Echo, application/grpc-web-text, grpc-timeout, 50m, 1000",
    "/test.Echo/Stall, application/grpc, grpc-timeout, 50m, 0",
    "/test.Echo/Stall, application/grpc, grpc-timeout, 50m, 1000",
    "/test.Echo/Stall, application/grpc-web, grpc-timeout, 50m, 1000",
    "/echo, application/octet-stream, request-timeout, 50ms, 0",
    "/echo, application/octet-stream, request-timeout, 50ms, 1000",
    "/echo, application/octet-stream, request-timeout, 30s, 1000",
    "/landed, application/octet-stream, request-timeout, 50ms, 300000",
  })
  void streamOfHttp2EndsThenAndNoOther(
      String path, String type, String name, String value, int sent) throws IOException {
    var out = socket.getOutputStream();
    out.write(joined(PREFACE, SETTINGS, SETTINGS_ACK, post(1, path, type, name, value)));
    if (sent > 0) {
      byte[] piece = new byte[1_000];
      out.write(frame(DATA, 0, 1, messageHead(400_000)));
      for (int at = 0; at < sent; at += piece.length) {
        out.write(frame(DATA, 0, 1, piece));
      }
    }
    assertThat(answer(1, type.endsWith("text"))).contains("Request timeout expired");
    out.write(frame(DATA, END_STREAM, 1, new byte[10]));
    out.write(headers(3, "/test.Echo/Echo"));
    out.write(frame(DATA, END_STREAM, 3, messageHead(0)));
    assertThat(Frame.await(in, HEADERS).stream()).isEqualTo(3);
  }

  /** The library that answers them gives the status without a text. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
      })
  void callOfAStandardServiceEndsThen(String path) throws IOException {
    byte[] call = post(1, path, "application/grpc", "grpc-timeout", "50m");
    socket.getOutputStream().write(joined(PREFACE, SETTINGS, SETTINGS_ACK, call));
    assertThat(answer(1, false)).contains("grpc-status\u00014");
  }

  @ParameterizedTest
  @CsvSource({
    "'Content-Length: 100\r\nRequest-Timeout: 50ms', 50",
    "'Content-Length: 100\r\nx-envoy-expected-rq-timeout-ms: 50', 0",
    "'Content-Length: 100\r\nRequest-Timeout: 30s', 50",
  })
  void requestOfHttp1EndsThenAndItsConnectionGoesOn(String head, int sent) throws IOException {
    var out = socket.getOutputStream();
    String start = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
    out.write((start + head + "\r\n\r\n" + "x".repeat(sent)).getBytes(US_ASCII));
    assertThat(next()).contains("HTTP/1.1 504", "Request timeout expired");
    String rest = "x".repeat(100 - sent);
    out.write((rest + start + "Content-Length: 2\r\n\r\nhi").getBytes(US_ASCII));
    assertThat(next()).contains("HTTP/1.1 200").endsWith("hi");
  }

  /** The next answer of HTTP/1.1. */
  private String next() throws IOException {
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.readUnsignedByte());
    }
    String length = "content-length: ";
    int at = head.indexOf(length) + length.length();
    int size = Integer.parseInt(head.substring(at, head.indexOf("\r\n", at)));
    return head + new String(in.readNBytes(size), ISO_8859_1);
  }

  /** What the settings say is the time of one request, of which a stream may have any number. */
  @Test
  void streamMayLastLongerThanTheSettingsGiveARequest() throws Exception {
    var out = socket.getOutputStream();
    out.write(
        joined(
            PREFACE,
            SETTINGS,
            SETTINGS_ACK,
            post(1, "/test.Echo/Stall", "application/grpc", "grpc-timeout", "30S"),
            post(3, "/test.Echo/Echo", "application/grpc", "grpc-timeout", "30S")));
    Frame first = Frame.await(in, HEADERS);
    assertThat(first.stream()).as("which has a request's time only").isEqualTo(3);
    out.write(frame(DATA, 0, 1, messageHead(0)));
    out.write(frame(6, 0, 0, new byte[8]));
    Frame frame = Frame.read(in);
    while (frame.type() != 6) {
      assertThat(frame.stream()).isNotEqualTo(1);
      frame = Frame.read(in);
    }
  }
}
