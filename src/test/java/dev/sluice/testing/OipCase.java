package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.DynamicTest;

/**
 * A recorded request of the Open Inference Protocol. Its {@code json} must be contained in the
 * answer's, {@code error} in the text under its {@code error}, {@code contains} in its body; {@code
 * binary} is what follows the JSON. {@code %BRACKETS%} in a body stands for as many opening ones as
 * {@code brackets} says, {@code %ADDSUB%} for a model's file in base64.
 */
public record OipCase(JsonNode data) {
  private static final String LENGTH = "Inference-Header-Content-Length";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** A test for each request of a file, in their order. */
  public static List<DynamicTest> tests(String file, String url) {
    List<DynamicTest> tests = new ArrayList<>();
    String path = "/conformance/oip/" + file + ".json";
    try (InputStream cases = OipCase.class.getResourceAsStream(path)) {
      for (JsonNode each : JSON.readTree(Objects.requireNonNull(cases))) {
        String name = each.path("id").asText() + " " + each.path("shows").asText();
        tests.add(DynamicTest.dynamicTest(name, () -> new OipCase(each).replay(url)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tests;
  }

  /** Sends the request to a server and checks the answer. */
  public void replay(String url) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = CLIENT.send(request(url), BodyHandlers.ofByteArray());
    byte[] plain = inflated(answer);
    String body = new String(plain, StandardCharsets.UTF_8);
    assertThat(answer.statusCode()).as(body).isEqualTo(data.path("status").asInt());
    data.path("header")
        .forEachEntry((name, value) ->
            assertThat(answer.headers().firstValue(name)).contains(value.asText()));
    if (data.has("text")) {
      assertThat(body).isEqualTo(data.path("text").asText());
    }
    if (data.has("error")) {
      JsonNode error = JSON.readTree(body);
      assertThat(error.size()).isEqualTo(1);
      assertThat(error.path("error").asText()).contains(data.path("error").asText());
    }
    checkContents(answer, plain, body);
  }

  private static byte[] inflated(HttpResponse<byte[]> answer) throws IOException {
    var bytes = new ByteArrayInputStream(answer.body());
    return switch (answer.headers().firstValue("Content-Encoding").orElse("identity")) {
      case "gzip" -> new GZIPInputStream(bytes).readAllBytes();
      case "deflate" -> new InflaterInputStream(bytes).readAllBytes();
      default -> answer.body();
    };
  }

  private void checkContents(HttpResponse<byte[]> answer, byte[] plain, String body)
      throws IOException {
    int json = jsonLength(answer, plain);
    if (data.has("binary")) {
      byte[] binary = Base64.getDecoder().decode(data.path("binary").asText());
      assertThat(Arrays.copyOfRange(plain, json, plain.length)).isEqualTo(binary);
    }
    if (data.has("json")) {
      byte[] front = Arrays.copyOf(plain, json);
      assertContains(JSON.readTree(front), data.path("json"), "");
    }
    if (data.has("absent")) {
      assertThat(JSON.readTree(body).has(data.path("absent").asText())).isFalse();
    }
    assertThat(body).contains(data.path("contains").asText());
  }

  private static int jsonLength(HttpResponse<byte[]> answer, byte[] plain) {
    return answer.headers().firstValue(LENGTH).map(Integer::parseInt).orElse(plain.length);
  }

  private HttpRequest request(String url) {
    var request =
        HttpRequest.newBuilder(URI.create(url + data.path("path").asText()))
            .method(data.path("method").asText(), body());
    data.path("headers").forEachEntry((name, value) -> request.header(name, value.asText()));
    return request.build();
  }

  private BodyPublisher body() {
    if (data.has("base64")) {
      byte[] body = Base64.getDecoder().decode(data.path("base64").asText());
      return BodyPublishers.ofByteArray(body);
    }
    String brackets = "[".repeat(data.path("brackets").asInt());
    String body = data.path("body").asText().replace("%BRACKETS%", brackets);
    if (body.contains("%ADDSUB%")) {
      body = body.replace("%ADDSUB%", base64(Path.of("src/test/models/oip/addsub/1/model.onnx")));
    }
    return data.has("body") ? BodyPublishers.ofString(body) : BodyPublishers.noBody();
  }

  private static String base64(Path file) {
    try {
      return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Objects may have more members than expected; lists have as many; numbers go by value. */
  private static void assertContains(JsonNode actual, JsonNode expected, String where) {
    if (expected.isObject()) {
      expected.forEachEntry(
          (name, value) -> assertContains(actual.path(name), value, where + "/" + name));
    } else if (expected.isArray()) {
      assertThat(actual.size()).as(where).isEqualTo(expected.size());
      for (int i = 0; i < expected.size(); i++) {
        assertContains(actual.path(i), expected.path(i), where + "/" + i);
      }
    } else if (expected.isNumber()) {
      assertThat(actual.isNumber()).as(where).isTrue();
      assertThat(actual.decimalValue()).as(where).isEqualByComparingTo(expected.decimalValue());
    } else {
      assertThat(actual).as(where).isEqualTo(expected);
    }
  }
}
