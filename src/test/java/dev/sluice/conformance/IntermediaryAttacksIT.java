package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.SluiceConfig;
import dev.sluice.config.security.ApiKeysConfig;
import dev.sluice.config.security.SecurityConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.testing.RawGrpc;
import dev.sluice.testing.RunningServer;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of which a proxy in front and the server could each understand something else. */
class IntermediaryAttacksIT {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final String KEY = "0123456789abcdef-ci";
  private static final String HIDDEN = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static RunningServer server;

  @BeforeAll
  static void start() {
    var keys = ApiKeysConfig.parse(Path.of("keys"), "ci: " + KEY);
    server =
        RunningServer.start(
            SluiceConfig.DEFAULT
                .with(
                    List.of(ListenerConfig.DEFAULT.withPort(0)),
                    RepositoryConfig.of(DesiredModels.only(Map.of()), Duration.ZERO))
                .with(
                    new SecurityConfig(
                        SecurityConfig.DEFAULT.policies(),
                        new ApiKeysConfig(keys, Optional.empty()),
                        SecurityConfig.DEFAULT.jwt(),
                        SecurityConfig.DEFAULT.share())));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Sends bytes, says that no more come, and gives all that comes back. */
  private static String send(String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding : chunked",
        "Content-Length: 5\r\nTransfer-Encoding: xchunked",
        "Content-Length: 5\r\nTransfer-Encoding:\u000bchunked",
        "Content-Length: 5\r\nTransfer-Encoding:\tchunked",
        "Content-Length: 5\r\nTransfer-Encoding:\r\n chunked",
        "Content-Length: 5\r\nTransfer-Encoding: \"chunked\"",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\0",
        "Content-Length: 5\r\nX: x\rTransfer-Encoding: chunked",
        "Content-Length: 5\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: gzip,chunked",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip",
        "Transfer-Encoding: ,chunked",
        "Transfer-Encoding: chunked,",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding:",
        "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding: chunked\r\n\t",
        "Transfer-Encoding: gzip, chunked\r\nContent-Length: 5",
        "TRANSFER-ENCODING: gzip,\tchunked",
        "Transfer-Encoding: chunked\r\n: nameless",
        "Content-Length:\r\n 5",
        "Content-Length: 5, 5",
        "Content-Length: 0\r\nContent-Length: 5",
        "Content-Length: 0, 5",
        "Content-Length: +0",
        "Content-Length: -1",
        "Content-Length: 0x0",
        "Content-Length: 0 0",
        "Content-Length : 0",
        "Content-Length: 99999999999999999999"
      })
  void aBodyWhoseLengthIsAmbiguousIsRefusedAndNothingBehindItIsRead(String headers)
      throws IOException {
    String answer =
        send(
            "POST /v2/repository/index HTTP/1.1\r\nHost: localhost\r\n"
                + headers
                + "\r\n\r\n0\r\n\r\n"
                + HIDDEN);
    assertRefused(answer, "HTTP/1.1 (400|501) ");
  }

  /** One answer that says why, and the end of the connection. */
  private static void assertRefused(String answer, String status) {
    assertThat(answer)
        .containsPattern("^" + status)
        .containsOnlyOnce("HTTP/1.")
        .containsIgnoringCase("connection: close")
        .containsPattern("\\r\\n\\r\\n\\{\"error\":\".{10,}\"}$");
  }

  /** The server closes the connection by itself: a client that waits for that does so in vain. */
  private static String sendAndWait(String bytes) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /v2\0 HTTP/1.1",
        "GET /v2\u0001x HTTP/1.1",
        "GET /v2\u007f HTTP/1.1",
        "GET /v2 HTTP/1.1 x",
        "GET /v2 x HTTP/1.1",
        "GET /v2",
        "G\u0001T /v2 HTTP/1.1",
        "GET /v2 HTTP/9.9",
        "GET /v2 HTTP/2.0",
        "GET /v2 HTTP/1.1\r\n X: folded",
        "GET /v2 HTTP/1.1\r\nX : y",
        "GET /v2 HTTP/1.1\r\nX"
      })
  void aHeadThatIsNoneIsAnsweredWithATextAndTheEnd(String head) throws IOException {
    assertRefused(
        sendAndWait(head + "\r\nHost: localhost\r\n\r\n" + HIDDEN), "HTTP/1.1 (400|505) ");
  }

  @Test
  void headsThatAreTooLargeSayWhichPart() throws IOException {
    String long1 = "x".repeat(100_000);
    assertRefused(sendAndWait("GET /" + long1 + " HTTP/1.1\r\n\r\n" + HIDDEN), "HTTP/1.1 414 ");
    assertRefused(
        sendAndWait("GET /v2 HTTP/1.1\r\nX: " + long1 + "\r\n\r\n" + HIDDEN), "HTTP/1.1 431 ");
  }

  @Test
  void anAnswerToAnEarlierRequestComesBeforeTheRefusal() throws IOException {
    String answers =
        sendAndWait(
            HIDDEN
                + "POST /v2 HTTP/1.1\r\nHost: localhost\r\n"
                + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
                + HIDDEN);
    assertThat(answers).startsWith("HTTP/1.1 200 ");
    assertRefused(answers.substring(answers.indexOf("HTTP/1.1 5")), "HTTP/1.1 501 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0x2\r\n{}\r\n0",
        "+2\r\n{}\r\n0",
        "-2\r\n{}\r\n0",
        "100000002\r\n{}\r\n0",
        "2\r\n{}XX0",
        "2\r\n{}0",
        "\r\n{}\r\n0",
        "zz\r\n{}\r\n0",
        "ffffffffffffffff\r\n{}\r\n0",
        "2 \r\n{}\r\n0",
        "2\n{}\n0",
        "2;a=\"\r\n\"\r\n{}\r\n0",
        "2;x\nxx\r\n{}\r\n0",
        "2\r\n{}\r\n0\r\nbad trailer",
        "LONG_EXTENSION",
        "LONG_TRAILER"
      })
  void malformedChunksAreAnsweredOnceAndEndTheConnection(String given) throws IOException {
    String chunks =
        switch (given) {
          case "LONG_EXTENSION" -> "2;" + "a".repeat(200_000) + "\r\n{}\r\n0";
          case "LONG_TRAILER" -> "2\r\n{}\r\n0\r\nX: " + "y".repeat(200_000);
          default -> given;
        };
    String type = "application/grpc-web+proto";
    for (String request :
        List.of(
            "POST /v2/repository/index HTTP/1.1\r\n",
            "POST /v2/models/none/infer HTTP/1.1\r\n",
            "POST /v1/models/none:predict HTTP/1.1\r\n")) {
      assertRefused(sendAndWait(chunked(request, "application/json", chunks)), "HTTP/1.1 40[04] ");
    }
    for (String method : List.of("ServerLive", "ModelStreamInfer")) {
      String path = "POST /inference.GRPCInferenceService/" + method + " HTTP/1.1\r\n";
      assertThat(sendAndWait(chunked(path, type, chunks)))
          .startsWith("HTTP/1.1 200 ")
          .containsOnlyOnce("HTTP/1.")
          .containsPattern("(?i)grpc-status: *3");
    }
  }

  private static String chunked(String request, String type, String chunks) {
    return request
        + "Host: localhost\r\nContent-Type: "
        + type
        + "\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunks
        + "\r\n\r\n"
        + HIDDEN;
  }

  @Test
  void noRequestBecomesATunnelForHttp2() throws Exception {
    String upgrade =
        String.join(
            "\r\n",
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQAAP__",
            "",
            "");
    String first = "GET /v2 HTTP/1.1\r\nHost: localhost\r\n";
    assertThat(send(first + upgrade)).startsWith("HTTP/1.1 200 ").contains("\"name\"");
    assertThat(send(first + "\r\n" + first + upgrade))
        .startsWith("HTTP/1.1 200 ")
        .doesNotContain("101 Switching");
    try (HttpClient wishing = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          wishing.send(
              HttpRequest.newBuilder(URI.create(server.url() + "/v2")).build(),
              BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"G", "GE", "P", "PR", "POS", "PRI", "PRI "})
  void aRequestThatComesInPiecesIsReadWhole(String begun) throws Exception {
    String method = begun.strip().startsWith("P") ? "POST" : "GET";
    String rest = " /v2/repository/index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
    String all = method.startsWith(begun) ? method + rest : begun + "X" + rest;
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
      for (int i = 0; i < 8; i++) {
        socket.getOutputStream().write(all.charAt(i));
        socket.getOutputStream().flush();
      }
      socket.getOutputStream().write(all.substring(8).getBytes(ISO_8859_1));
      socket.shutdownOutput();
      String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      if (method.startsWith(begun)) {
        assertThat(answer).startsWith(method.equals("GET") ? "HTTP/1.1 405 " : "HTTP/1.1 200 ");
      } else {
        assertThat(answer).doesNotContain(" 200 ");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-API-Key: ", "Authorization: Bearer "})
  void aCredentialThatComesTwiceIsNone(String header) throws IOException {
    String start = "GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    assertThat(send(start + header + KEY + "\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    for (String other : List.of("wrong", KEY, "")) {
      String twice = header + KEY + "\r\n" + header + other + "\r\n";
      assertThat(send(start + twice + "\r\n")).startsWith("HTTP/1.1 401 ").contains("wanted one");
      assertThat(
              send(
                  "POST /grpc.health.v1.Health/Check HTTP/1.1\r\n"
                      + "Host: localhost\r\n"
                      + "Connection: close\r\n"
                      + "Content-Type: application/grpc-web+proto\r\n"
                      + "Content-Length: 5\r\n"
                      + twice
                      + "\r\n\0\0\0\0\0"))
          .contains("grpc-status")
          .contains("16");
    }
  }

  @Test
  void aCredentialThatComesTwiceByGrpcIsNone() {
    var metadata = new Metadata();
    var name = Metadata.Key.of("x-api-key", Metadata.ASCII_STRING_MARSHALLER);
    metadata.put(name, KEY);
    try (var grpc = new RawGrpc(server.port())) {
      String live = "inference.GRPCInferenceService/ServerLive";
      assertThat(grpc.call(live, metadata).getCode()).isEqualTo(Status.Code.OK);
      metadata.put(name, "wrong");
      assertThat(grpc.call(live, metadata).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(grpc.call("inference.GRPCInferenceService/ModelStreamInfer", metadata).getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
    }
  }
}
