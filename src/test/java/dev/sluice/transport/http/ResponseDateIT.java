package dev.sluice.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each response says when it was made, as RFC 9110 wants it of a server with a clock. */
class ResponseDateIT {
  private static RunningServer server;
  private static HttpCaller caller;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    caller.close();
    server.close();
  }

  /** In the only form that senders may write (RFC 9110, section 5.6.7): two digits for each day. */
  private static void assertIsNow(@Nullable String date) {
    assertThat(date).matches("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT");
    Instant said =
        ZonedDateTime.parse(Objects.requireNonNull(date), DateTimeFormatter.RFC_1123_DATE_TIME)
            .toInstant();
    assertThat(Duration.between(said, Instant.now()).abs()).isLessThan(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/models/half_plus_two:predict, 200",
    "GET, /v1/models/half_plus_two, 200",
    "GET, /v2/health/ready, 200",
    "GET, /metrics, 200",
    "POST, /v1/models/none:predict, 404",
    "GET, /nowhere, 404",
    "PUT, /v1/models/half_plus_two, 400",
  })
  void anAnswerHasADate(String method, String path, int status) {
    Buffer body = Buffer.buffer(method.equals("GET") ? "" : "{\"instances\": [1.0]}");
    HttpCaller.Answer answer = caller.send(method, path, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertIsNow(answer.headers().get("Date"));
  }

  @Test
  void theAnswerToAMalformedHeadHasOneToo() throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertThat(answer).startsWith("HTTP/1.1 400 ");
      assertIsNow(
          answer
              .lines()
              .filter(line -> line.startsWith("date: "))
              .findFirst()
              .orElseThrow()
              .substring(6));
    }
  }
}
