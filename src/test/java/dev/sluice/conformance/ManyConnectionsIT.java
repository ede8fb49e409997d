package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RawHttp2;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More connections, streams and heads than a small heap holds, behind which nothing comes. */
@Timeout(180)
class ManyConnectionsIT {
  private static final String HEAD = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n";
  private static final String POST =
      "POST /v1/models/twice:predict HTTP/1.1\r\nHost: localhost\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

  private static final int CALLS = 10;

  @TempDir private Path models;
  private final List<Socket> open = new ArrayList<>();
  private final Socket friend = new Socket();
  private int port;
  private ChildServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    port = ChildServer.freePort();
    server = ChildServer.small(models, port);
    server.awaitModel("twice/1");
    friend.setSoTimeout(60_000);
    friend.connect(new InetSocketAddress("localhost", port));
    channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    friendsAreAnswered();
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    friend.close();
    channel.shutdownNow();
    server.close();
  }

  @Test
  void connectionsWithSomeStreamsAreTakenAsLongAsTheHeapHoldsThem() throws Exception {
    assertThat(connect(2_500, streams(12))).isPositive();
    theServerGoesOn();
    assertThat(server.output()).anyMatch(line -> line.contains("limits.connection_memory"));
  }

  @Test
  void connectionsWithManyStreamsLeaveSomeToOthers() throws Exception {
    assertThat(connect(200, streams(900))).isZero();
    theServerGoesOn();
    assertThat(server.output())
        .anyMatch(
            line -> line.contains("a stream is refused") && line.contains("connection_memory"));
  }

  @Test
  void connectionsWithoutARequestAreTakenAsLongAsTheHeapHoldsThem() throws Exception {
    byte[] head = "GET /v2 HTTP/1.1\r\n".getBytes(US_ASCII);
    connect(6_000, head);
    theServerGoesOn();
    assertThat(server.output()).anyMatch(line -> line.contains("limits.connection_memory"));
  }

  /** Each small header becomes objects of more than a hundred bytes. */
  @ParameterizedTest
  @ValueSource(ints = {90, 1_900})
  void headsOfManySmallHeadersAreCounted(int headers) throws Exception {
    String small = "a:\r\n".repeat(headers);
    connect(1_200, (HEAD + small).getBytes(US_ASCII));
    connect(600, (POST + "Content-Length: 100\r\n" + small + "\r\n").getBytes(US_ASCII));
    connect(600, (POST + CHUNKED + "\r\n1\r\n{\r\n0\r\n" + small).getBytes(US_ASCII));
    connect(1_200, (HEAD + "a: " + "b".repeat(30_000)).getBytes(US_ASCII));
    theServerGoesOn();
  }

  @Test
  void headsOfPipelinedRequestsAreCounted() throws Exception {
    String small = HEAD + "a:\r\n".repeat(90) + "\r\n";
    String stalled = POST + "Content-Length: 100\r\n\r\n";
    connect(300, (stalled + "x".repeat(100) + small.repeat(200)).getBytes(US_ASCII));
    connect(1_000, (small.repeat(15) + stalled).getBytes(US_ASCII));
    theServerGoesOn();
  }

  @ParameterizedTest
  @ValueSource(ints = {90, 230, 900})
  void headsOfStreamsAreCounted(int headers) throws Exception {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(RawHttp2.PREFACE);
    bytes.writeBytes(RawHttp2.SETTINGS);
    List<String> head =
        new ArrayList<>(
            List.of(":method", "POST", ":scheme", "http", ":path", "/v1/models/twice:predict"));
    head.addAll(List.of(":authority", "localhost"));
    for (int i = 0; i < headers; i++) {
      head.addAll(List.of("a", ""));
    }
    bytes.writeBytes(RawHttp2.head(RawHttp2.END_HEADERS, 1, head));
    connect(1_700, bytes.toByteArray());
    theServerGoesOn();
  }

  private void theServerGoesOn() throws IOException {
    friendsAreAnswered();
    // A drain would wait for requests of which the rest never comes.
    for (Socket socket : open) {
      socket.close();
    }
    server.terminate();
    assertThat(server.exitCode()).isZero();
  }

  private static byte[] streams(int count) {
    var bytes = new ByteArrayOutputStream();
    bytes.writeBytes(RawHttp2.PREFACE);
    bytes.writeBytes(RawHttp2.SETTINGS);
    for (int i = 0; i < count; i++) {
      bytes.writeBytes(
          RawHttp2.headers(1 + 2 * i, "/inference.GRPCInferenceService/ModelStreamInfer"));
    }
    return bytes.toByteArray();
  }

  /** Opens connections and looks after the friends meanwhile; returns how many were refused. */
  private int connect(int count, byte[] bytes) throws Exception {
    boolean answers = Arrays.mismatch(bytes, RawHttp2.PREFACE) >= RawHttp2.PREFACE.length;
    int refused = 0;
    for (int i = 0; i < count; i++) {
      refused += isRefused(bytes, answers) ? 1 : 0;
      if (i % 100 == 0) {
        friendsAreAnswered();
      }
    }
    return refused;
  }

  /** Opens a connection; it is refused if the server has closed it by the time it answers. */
  private boolean isRefused(byte[] bytes, boolean answers) {
    try {
      var socket = new Socket("localhost", port);
      open.add(socket);
      socket.getOutputStream().write(bytes);
      return answers && socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** One by HTTP/1.1, and one with some calls of gRPC at once. */
  private void friendsAreAnswered() throws IOException {
    assertThat(isLive()).as("%s", server.output()).isTrue();
    var stub =
        GRPCInferenceServiceGrpc.newFutureStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
    var live =
        Stream.generate(() -> stub.serverLive(ServerLiveRequest.getDefaultInstance()))
            .limit(CALLS)
            .toList();
    assertThat(live).allMatch(call -> requireNonNull(Futures.getUnchecked(call)).getLive());
  }

  private boolean isLive() throws IOException {
    friend
        .getOutputStream()
        .write("GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = friend.getInputStream().read();
      if (next < 0) {
        return false;
      }
      head.append((char) next);
    }
    return head.toString().startsWith("HTTP/1.1 200");
  }
}
