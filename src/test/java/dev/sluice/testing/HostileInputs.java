package dev.sluice.testing;

import static dev.sluice.testing.RawHttp2.DATA;
import static dev.sluice.testing.RawHttp2.END_STREAM;
import static dev.sluice.testing.RawHttp2.PING;
import static dev.sluice.testing.RawHttp2.PREFACE;
import static dev.sluice.testing.RawHttp2.RST_STREAM;
import static dev.sluice.testing.RawHttp2.SETTINGS;
import static dev.sluice.testing.RawHttp2.WINDOW_UPDATE;
import static dev.sluice.testing.RawHttp2.frame;
import static dev.sluice.testing.RawHttp2.headers;
import static dev.sluice.testing.RawHttp2.joined;
import static dev.sluice.testing.RawHttp2.message;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * Connections that no well-behaved client makes, by raw sockets: damaged requests and frames of
 * every protocol, and good ones whose client does not stay for the answer. The same seed makes the
 * same ones. For one thread.
 */
public final class HostileInputs {
  /** Milliseconds that an answer is waited for, if it is waited for. */
  private static final int TIMEOUT_SECONDS = 5;

  /** 501, 503 and 505 say what the client should do otherwise, or later. */
  private static final Pattern FAILURE = Pattern.compile("HTTP/1.1 5(?!0[135])");

  private final List<String> failures = new ArrayList<>();
  private final Random random;
  private final Mutations mutations;
  private final int port;
  private final byte[] slowCall;

  /**
   * @param port the server's
   * @param slowCall a message of {@code ModelInfer} whose answer takes a while
   */
  public HostileInputs(long seed, int port, byte[] slowCall) {
    this.random = new Random(seed);
    this.mutations = new Mutations(seed + 1);
    this.port = port;
    this.slowCall = slowCall;
  }

  /** Makes one connection more, and leaves it. */
  public void next() {
    List<byte[]> writes =
        switch (random.nextInt(9)) {
          case 0 -> List.of(randomBytes(1 + random.nextInt(400)));
          case 1 -> List.of(damagedHttp());
          case 2 -> List.of(http());
          case 3 -> List.of(http2(randomFrames()));
          case 4 -> List.of(http2(damagedCall()));
          case 5 -> leavingCall();
          case 6 -> List.of(brpc());
          case 7 -> List.of(http2(flood()));
          default -> List.of(grpcWeb());
        };
    send(writes);
  }

  private void send(List<byte[]> writes) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_SECONDS);
      OutputStream out = socket.getOutputStream();
      for (byte[] bytes : writes) {
        out.write(bytes);
        out.flush();
      }
      switch (random.nextInt(4)) {
        case 0 -> socket.setSoLinger(true, 0); // the connection is reset
        case 1 -> socket.shutdownOutput();
        default -> {}
      }
      if (random.nextBoolean()) {
        read(socket);
      }
    } catch (IOException e) {
      // The server may close the connection at any time.
    }
  }

  private void read(Socket socket) throws IOException {
    byte[] answer = new byte[256];
    int count = socket.getInputStream().read(answer);
    if (count < 0) {
      socket.setSoTimeout(1);
      return;
    }
    String text = new String(answer, 0, count, ISO_8859_1);
    if (FAILURE.matcher(text).lookingAt()) {
      failures.add(text);
    }
  }

  /** Answers by which the server says that it has failed, so far. */
  public List<String> failures() {
    return failures;
  }

  /** Frames that cost a client little, more than anybody needs. */
  private byte[] flood() {
    var frames = new ByteArrayOutputStream();
    int kind = random.nextInt(3);
    int count = random.nextInt(kind == 0 ? 12_000 : 300);
    for (int i = 0; i < count; i++) {
      frames.writeBytes(
          switch (kind) {
            case 0 -> frame(PING, 0, 0, new byte[8]);
            case 1 -> SETTINGS;
            default ->
                joined(
                    headers(2 * i + 1, method()),
                    frame(RST_STREAM, 0, 2 * i + 1, new byte[] {0, 0, 0, 8}));
          });
    }
    return frames.toByteArray();
  }

  private byte[] randomBytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  @SuppressWarnings(
      "StringConcatToTextBlock") // The line ends of HTTP are not those of a text block.
  private byte[] http() {
    String[] requests = {
      "GET /nowhere/%n HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /v2/models/none/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
      "POST /v2/models/addsub/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 400\r\n\r\n{\"in",
      "POST /v2/models/addsub/infer HTTP/1.1\r\n"
          + "Host: a\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n"
          + "zz\r\n",
      "POST /v1/models/addsub:predict HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n\"\\u00",
      "POST /v2/models/addsub/infer HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n{}",
      "POST /v2/models/addsub/infer HTTP/1.1\r\n"
          + "Host: a\r\n"
          + "Content-Length: 2\r\n"
          + "Content-Length: 3\r\n\r\n"
          + "{}{",
      "GET /v2 HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(40_000) + "\r\n\r\n",
      "GET " + "/a".repeat(5_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /v2 HTTP/3.7\r\n\r\n",
      "GET /v2 HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
          + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
      "GET /v2 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST /v2/models/addsub/infer HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
          + "Content-Length: 99999999999\r\n\r\n",
    };
    return requests[random.nextInt(requests.length)].getBytes(ISO_8859_1);
  }

  private byte[] damagedHttp() {
    return mutations.damage(http());
  }

  private byte[] grpcWeb() {
    String type = random.nextBoolean() ? "application/grpc-web" : "application/grpc-web-text";
    byte[] body = random.nextBoolean() ? mutations.damage(message(slowCall)) : randomBytes(60);
    String head =
        "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(method(), type, body.length + random.nextInt(3));
    return joined(head.getBytes(US_ASCII), body);
  }

  private byte[] brpc() {
    byte[] good =
        new BrpcClient.Call("grps.protos.GrpsService", "Predict", 7).frame(randomBytes(30));
    return random.nextBoolean()
        ? mutations.damage(good)
        : joined("PRPC".getBytes(US_ASCII), randomBytes(random.nextInt(40)));
  }

  /** Without the settings that have to come first, now and then. */
  private byte[] http2(byte[] frames) {
    return switch (random.nextInt(6)) {
      case 0 -> joined(PREFACE, frames);
      case 1 -> joined(mutations.damage(PREFACE), joined(SETTINGS, frames));
      default -> joined(PREFACE, joined(SETTINGS, frames));
    };
  }

  private byte[] randomFrames() {
    var frames = new ByteArrayOutputStream();
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      frames.writeBytes(
          frame(
              random.nextInt(11),
              random.nextInt(256),
              random.nextInt(5),
              randomBytes(random.nextInt(60))));
    }
    return frames.toByteArray();
  }

  private byte[] damagedCall() {
    byte[] call = call(1, method(), mutations.damage(message(slowCall)));
    return random.nextBoolean() ? call : mutations.damage(call);
  }

  /** Good calls, whose streams or connection end before their answers. */
  private List<byte[]> leavingCall() {
    List<byte[]> writes = new ArrayList<>();
    writes.add(joined(PREFACE, SETTINGS));
    for (int stream = 1; stream <= 1 + 2 * random.nextInt(4); stream += 2) {
      writes.add(call(stream, "/inference.GRPCInferenceService/ModelInfer", message(slowCall)));
      switch (random.nextInt(4)) {
        case 0 -> writes.add(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
        case 1 -> writes.add(frame(WINDOW_UPDATE, 0, stream, new byte[4]));
        case 2 -> writes.add(frame(PING, 0, 0, new byte[8]));
        default -> {}
      }
    }
    return writes;
  }

  private String method() {
    String[] methods = {
      "/inference.GRPCInferenceService/ModelInfer",
      "/inference.GRPCInferenceService/ModelStreamInfer",
      "/inference.GRPCInferenceService/RepositoryModelLoad",
      "/tensorflow.serving.PredictionService/Predict",
      "/grps.protos.GrpsService/PredictStreaming",
      "/grpc.health.v1.Health/Watch",
      "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      "/no.Service/None",
    };
    return methods[random.nextInt(methods.length)];
  }

  private static byte[] call(int stream, String method, byte[] body) {
    return joined(headers(stream, method), frame(DATA, END_STREAM, stream, body));
  }
}
