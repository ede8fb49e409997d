package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RawHttp2;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Thousands of tiny messages and calls whose client reads no answer, on a small heap: the server
 * takes no more of them than it can answer, and others do not notice.
 */
@Timeout(180)
class MessageFloodIT {
  private static final int CONNECTIONS = 10;
  private static final int STREAMS = 4;
  private static final int MESSAGES = 20_000;
  private static final int PIECE = 16_000;
  private static final int REQUESTS = 40;
  private static final int BRPC_CONNECTIONS = 600;
  private static final int FRAMES = 8_000;
  private static final int SMALLEST_WINDOW = 2_048;

  /** More than a turn of the event loop takes on a busy machine, less than the flood would. */
  private static final int TIMEOUT_MILLIS = 10_000;

  @TempDir private Path models;
  private final List<Socket> open = new ArrayList<>();
  private int port;
  private ChildServer server;

  @BeforeEach
  void start() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    port = ChildServer.freePort();
    server = ChildServer.small(models, port);
    server.awaitModel("twice/1");
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/inference.GRPCInferenceService/ModelStreamInfer,''",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo,3a00",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo,3a00",
    "/grpc.health.v1.Health/Check,''",
    "/grpc.health.v1.Health/Watch,''",
    "/inference.GRPCInferenceService/ServerLive,''",
    "/tensorflow.serving.PredictionService/Predict,''",
    "/grps.protos.v1.GrpsService/PredictStreaming,''",
  })
  void othersAreAnswered(String method, String message) throws IOException {
    byte[] flood = flood(method, message);
    for (int i = 0; i < CONNECTIONS; i++) {
      var socket = new Socket("localhost", port);
      open.add(socket);
      Thread.ofVirtual().start(() -> send(socket, flood));
    }
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(live()).as("%s", server.output()).startsWith("HTTP/1.1 200");
    }
    server.terminate();
    assertThat(server.exitCode()).isZero();
    assertThat(server.output()).noneMatch(line -> line.contains(" ERROR "));
  }

  /** Frames of a service that there is not are refused, which costs little to ask for. */
  @ParameterizedTest
  @CsvSource({"no.Service,x", "grps.protos.v1.GrpsBrpcService,Predict"})
  void othersAreAnsweredBesideRefusedCalls(String service, String method) throws IOException {
    byte[] frame = new BrpcClient.Call(service, method, 7).frame(new byte[0]);
    var frames = new ByteArrayOutputStream();
    for (int i = 0; i < FRAMES; i++) {
      frames.writeBytes(frame);
    }
    byte[] flood = frames.toByteArray();
    for (int i = 0; i < BRPC_CONNECTIONS; i++) {
      var socket = new Socket();
      open.add(socket);
      socket.setReceiveBufferSize(SMALLEST_WINDOW);
      socket.connect(new InetSocketAddress("localhost", port));
      Thread.ofVirtual().start(() -> send(socket, flood));
    }
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(live()).as("%s", server.output()).startsWith("HTTP/1.1 200");
    }
    server.terminate();
    assertThat(server.exitCode()).isZero();
  }

  private static byte[] flood(String method, String message) {
    byte[] body = HexFormat.of().parseHex(message);
    byte[] framed = ByteBuffer.allocate(5 + body.length).put(1, length(body)).array();
    System.arraycopy(body, 0, framed, 5, body.length);
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < MESSAGES; i++) {
      all.writeBytes(framed);
    }
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(RawHttp2.PREFACE);
    bytes.writeBytes(RawHttp2.SETTINGS);
    byte[] messages = all.toByteArray();
    for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
      bytes.writeBytes(RawHttp2.headers(stream, method));
      for (int from = 0; from < messages.length; from += PIECE) {
        int to = Math.min(messages.length, from + PIECE);
        bytes.writeBytes(
            RawHttp2.frame(RawHttp2.DATA, 0, stream, Arrays.copyOfRange(messages, from, to)));
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] length(byte[] body) {
    return ByteBuffer.allocate(4).putInt(body.length).array();
  }

  /** The server may close the connection, or read no further. */
  private static void send(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      // Refused, which is an answer too.
    }
  }

  /** Asks by a connection of its own, as a probe does. */
  private String live() throws IOException {
    try (var probe = new Socket("localhost", port)) {
      probe.setSoTimeout(TIMEOUT_MILLIS);
      probe
          .getOutputStream()
          .write(
              "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .getBytes(US_ASCII));
      return new String(probe.getInputStream().readAllBytes(), US_ASCII);
    }
  }
}
