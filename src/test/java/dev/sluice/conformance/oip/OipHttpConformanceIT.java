package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.RunningServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Replays recorded requests. A case's {@code json} must be contained in the answer's, {@code error}
 * in the text under its {@code error}, {@code contains} in its body; {@code binary} is what follows
 * the JSON. {@code %BRACKETS%} in a body stands for as many opening ones as {@code brackets} says.
 */
class OipHttpConformanceIT {
  private static final String LENGTH = "Inference-Header-Content-Length";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static long openBlocks;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    openBlocks = TensorMemory.openBlocks();
    server = RunningServer.start(Path.of("src/test/models/oip"));
  }

  @AfterAll
  static void stop() {
    server.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
  }

  @TestFactory
  List<DynamicTest> healthAndMetadata() throws IOException {
    return cases("health-and-metadata");
  }

  @TestFactory
  List<DynamicTest> inferenceInJson() throws IOException {
    return cases("infer-json");
  }

  @TestFactory
  List<DynamicTest> typesAndRepositoryIndex() throws IOException {
    return cases("types");
  }

  @TestFactory
  List<DynamicTest> binaryTensorData() throws IOException {
    return cases("binary-data");
  }

  @TestFactory
  List<DynamicTest> classification() throws IOException {
    return cases("classification");
  }

  @TestFactory
  List<DynamicTest> sequences() throws IOException {
    return cases("sequences");
  }

  @TestFactory
  List<DynamicTest> logAndTraceSettings() throws IOException {
    return cases("settings");
  }

  @TestFactory
  List<DynamicTest> compression() throws IOException {
    return cases("compression");
  }

  @TestFactory
  List<DynamicTest> generateInFlatJson() throws IOException {
    return cases("generate");
  }

  private static List<DynamicTest> cases(String file) throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    String path = "/conformance/oip/" + file + ".json";
    try (InputStream cases = OipHttpConformanceIT.class.getResourceAsStream(path)) {
      for (JsonNode each : JSON.readTree(Objects.requireNonNull(cases))) {
        String name = each.path("id").asText() + " " + each.path("shows").asText();
        tests.add(DynamicTest.dynamicTest(name, () -> replay(each)));
      }
    }
    return tests;
  }

  private static void replay(JsonNode expected) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = CLIENT.send(request(expected), BodyHandlers.ofByteArray());
    byte[] plain = inflated(answer);
    String body = new String(plain, StandardCharsets.UTF_8);
    assertThat(answer.statusCode()).as(body).isEqualTo(expected.path("status").asInt());
    expected
        .path("header")
        .forEachEntry((name, value) ->
            assertThat(answer.headers().firstValue(name)).contains(value.asText()));
    if (expected.has("text")) {
      assertThat(body).isEqualTo(expected.path("text").asText());
    }
    if (expected.has("error")) {
      JsonNode error = JSON.readTree(body);
      assertThat(error.size()).isEqualTo(1);
      assertThat(error.path("error").asText()).contains(expected.path("error").asText());
    }
    checkContents(expected, answer, plain, body);
  }

  private static byte[] inflated(HttpResponse<byte[]> answer) throws IOException {
    var bytes = new ByteArrayInputStream(answer.body());
    return switch (answer.headers().firstValue("Content-Encoding").orElse("identity")) {
      case "gzip" -> new GZIPInputStream(bytes).readAllBytes();
      case "deflate" -> new InflaterInputStream(bytes).readAllBytes();
      default -> answer.body();
    };
  }

  private static void checkContents(
      JsonNode expected, HttpResponse<byte[]> answer, byte[] plain, String body)
      throws IOException {
    int json = jsonLength(answer, plain);
    if (expected.has("binary")) {
      byte[] binary = Base64.getDecoder().decode(expected.path("binary").asText());
      assertThat(Arrays.copyOfRange(plain, json, plain.length)).isEqualTo(binary);
    }
    if (expected.has("json")) {
      byte[] front = Arrays.copyOf(plain, json);
      assertContains(JSON.readTree(front), expected.path("json"), "");
    }
    if (expected.has("absent")) {
      assertThat(JSON.readTree(body).has(expected.path("absent").asText())).isFalse();
    }
    assertThat(body).contains(expected.path("contains").asText());
  }

  private static int jsonLength(HttpResponse<byte[]> answer, byte[] plain) {
    return answer.headers().firstValue(LENGTH).map(Integer::parseInt).orElse(plain.length);
  }

  private static HttpRequest request(JsonNode expected) {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + expected.path("path").asText()))
            .method(expected.path("method").asText(), body(expected));
    expected.path("headers").forEachEntry((name, value) -> request.header(name, value.asText()));
    return request.build();
  }

  private static BodyPublisher body(JsonNode expected) {
    if (expected.has("base64")) {
      byte[] body = Base64.getDecoder().decode(expected.path("base64").asText());
      return BodyPublishers.ofByteArray(body);
    }
    String brackets = "[".repeat(expected.path("brackets").asInt());
    String body = expected.path("body").asText().replace("%BRACKETS%", brackets);
    return expected.has("body") ? BodyPublishers.ofString(body) : BodyPublishers.noBody();
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
