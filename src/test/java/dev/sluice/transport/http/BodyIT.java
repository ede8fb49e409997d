package dev.sluice.transport.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.server.LimitsConfig;
import dev.sluice.testing.EchoListener;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyIT {
  private static final int MAX_BODY = 300_000;
  private static final int MAX_INFLATED = 1_000_000;

  private static EchoListener listener;
  private static HttpClient client;

  @BeforeAll
  static void open() {
    listener =
        new EchoListener(
            new LimitsConfig(MAX_BODY, MAX_INFLATED, 50_000, Duration.ZERO, Duration.ZERO, 0));
    client = HttpClient.newHttpClient();
  }

  @AfterAll
  static void close() {
    client.close();
    listener.close();
  }

  private static HttpRequest.Builder post(byte[] body) {
    return HttpRequest.newBuilder(URI.create(listener.url() + "/echo"))
        .POST(BodyPublishers.ofByteArray(body));
  }

  private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void bodiesOfAnySizeUpToTheLimitArriveWhole(HttpClient.Version version) throws Exception {
    for (int size : new int[] {0, 1, 8_192, 70_000, MAX_BODY}) {
      byte[] body = random(size);
      assertThat(send(post(body).version(version)).body()).isEqualTo(body);
    }
  }

  @Test
  void aLargerBodyIsRefusedWithTheSettingToChangeAndTheServerGoesOn() throws Exception {
    var answer = send(post(random(MAX_BODY + 1)));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(new String(answer.body(), US_ASCII))
        .contains("300001 bytes")
        .contains("limits.max_body_size");
    assertThat(send(post(new byte[3])).statusCode()).isEqualTo(200);
  }

  @Test
  void aBodyThatDoesNotSayHowLongItIsIsRefusedWhenItPassesTheLimit() throws Exception {
    byte[] body = random(MAX_BODY * 2);
    var request =
        HttpRequest.newBuilder(URI.create(listener.url() + "/echo"))
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)));
    assertThat(send(request).statusCode()).isEqualTo(413);
  }

  @Test
  void gzipAndBothFormsOfDeflateAreUndone() throws Exception {
    byte[] plain = random(10_000);
    assertThat(send(post(gzip(plain)).header("Content-Encoding", "gzip")).body()).isEqualTo(plain);
    var deflated = new ByteArrayOutputStream();
    try (var out = new DeflaterOutputStream(deflated)) {
      out.write(plain);
    }
    byte[] wrapped = deflated.toByteArray();
    assertThat(send(post(wrapped).header("Content-Encoding", "deflate")).body()).isEqualTo(plain);
    byte[] bare = Arrays.copyOfRange(wrapped, 2, wrapped.length - 4);
    assertThat(send(post(bare).header("Content-Encoding", "deflate")).body()).isEqualTo(plain);
  }

  @Test
  void aBodyThatInflatesBeyondTheLimitIsRefused() throws Exception {
    byte[] bomb = gzip(new byte[50_000_000]);
    assertThat(bomb.length).isLessThan(MAX_BODY);
    assertThat(send(post(bomb).header("Content-Encoding", "gzip")).statusCode()).isEqualTo(413);
  }

  @Test
  void aDamagedOrUnknownCodingIsTheCallersFault() throws Exception {
    assertThat(send(post(random(100)).header("Content-Encoding", "gzip")).statusCode())
        .isEqualTo(400);
    assertThat(send(post(random(100)).header("Content-Encoding", "br")).statusCode())
        .isEqualTo(501);
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "zstd", "gzip, gzip", "br, gzip", "deflate, gzip", "gzip;q=1"})
  void codingsThatAreNotUndoneAreRefusedByNameWithThoseThatAre(String coding) throws Exception {
    var answer = send(post(gzip(random(100))).header("Content-Encoding", coding));
    assertThat(answer.statusCode()).isEqualTo(501);
    assertThat(answer.headers().firstValue("Accept-Encoding")).hasValue("gzip, deflate");
    assertThat(new String(answer.body(), US_ASCII)).contains("'" + coding + "'");
  }

  @Test
  void codingsInSeveralHeadersAreOneList() throws Exception {
    byte[] plain = random(100);
    var twice =
        post(gzip(gzip(plain)))
            .header("Content-Encoding", "gzip")
            .header("Content-Encoding", "gzip");
    assertThat(send(twice).statusCode()).isEqualTo(501);
    var withNone =
        post(gzip(plain))
            .header("Content-Encoding", "identity, ,")
            .header("Content-Encoding", " X-Gzip");
    assertThat(send(withNone).body()).isEqualTo(plain);
  }

  @Test
  void membersOfGzipAreOneBodyAndOtherBytesBehindThemAreNot() throws Exception {
    byte[] two = Buffer.buffer(gzip(random(5))).appendBytes(gzip(random(7))).getBytes();
    assertThat(send(post(two).header("Content-Encoding", "gzip")).body()).hasSize(12);
    byte[] more = Arrays.copyOf(two, two.length + 3);
    var answer = send(post(more).header("Content-Encoding", "gzip"));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(new String(answer.body(), US_ASCII)).contains("it has bytes behind its end: 3");
  }

  @Test
  void expectContinueIsAnswered() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket
          .getOutputStream()
          .write(
              "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
                  .getBytes(US_ASCII));
      assertThat(readUntil(socket.getInputStream(), "\r\n\r\n")).startsWith("HTTP/1.1 100");
      socket.getOutputStream().write("ok".getBytes(US_ASCII));
      assertThat(readUntil(socket.getInputStream(), "\r\n\r\nok")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void expectContinueOfHttp10IsIgnoredWhichHasNoSuchAnswer() throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      socket
          .getOutputStream()
          .write(
              "POST /echo HTTP/1.0\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok"
                  .getBytes(US_ASCII));
      assertThat(readUntil(socket.getInputStream(), "\r\n\r\nok")).startsWith("HTTP/1.0 200");
    }
  }

  /** The next request on the connection would be taken for the body that did not come. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /none HTTP/1.1\r\nContent-Length: 25\r\n",
        "POST /echo HTTP/1.1\r\nContent-Length: 25\r\nRequest-Timeout: soon\r\n",
        "POST /echo HTTP/1.1\r\nContent-Length: 999999999999\r\n",
      })
  void connectionEndsBehindARefusalOfABodyThatWaitsForItsContinue(String head) throws Exception {
    try (var socket = new Socket("localhost", listener.port())) {
      String request = head + "Host: x\r\nExpect: 100-continue\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      String answer = readUntil(socket.getInputStream(), "only the end");
      assertThat(answer).startsWith("HTTP/1.1 4").containsIgnoringCase("connection: close");
      assertThat(answer).containsOnlyOnce("HTTP/1.1");
    }
  }

  private static String readUntil(InputStream in, String end) throws IOException {
    var text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      text.append((char) next);
    }
    return text.toString();
  }
}
