package dev.sluice.conformance.grps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.EchoModels;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Sends recorded requests to real servers, in order, and compares the answers. */
class GrpsHttpConformanceIT {
  private static final Path CASES = Path.of("src/test/resources/conformance/grps");
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path folder;

  private static HttpClient client;
  private static RunningServer samples;
  private static RunningServer text;
  private static RunningServer floats;
  private static RunningServer ownCode;

  @BeforeAll
  static void start() throws IOException {
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    samples = RunningServer.start(Path.of("src/sample/models"));
    text = RunningServer.start(alone("idb"));
    floats = RunningServer.start(alone("idf"));
    ownCode = RunningServer.start(EchoModels.in(folder.resolve("own")));
  }

  /** A folder of models with just one in it. */
  private static Path alone(String model) throws IOException {
    Path models = folder.resolve("only-" + model);
    TestModels.copy(Path.of("src/test/models/oip", model), models.resolve(model));
    return models;
  }

  @AfterAll
  static void stop() {
    samples.close();
    text.close();
    floats.close();
    ownCode.close();
    client.close();
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  @TestFactory
  Stream<DynamicTest> theSampleModels() throws IOException {
    return cases("samples", samples);
  }

  @TestFactory
  Stream<DynamicTest> aServerWithOneTextModel() throws IOException {
    return cases("text", text);
  }

  @TestFactory
  Stream<DynamicTest> aServerWithOneModelOfFloats() throws IOException {
    return cases("floats", floats);
  }

  @TestFactory
  Stream<DynamicTest> aServerWithOwnCode() throws IOException {
    return cases("own_code", ownCode);
  }

  private static Stream<DynamicTest> cases(String file, RunningServer server) throws IOException {
    JsonNode cases = JSON.readTree(CASES.resolve(file + ".json").toFile());
    return StreamSupport.stream(cases.spliterator(), false)
        .map(one -> DynamicTest.dynamicTest(one.get("what").asText(), () -> replay(one, server)));
  }

  private static void replay(JsonNode one, RunningServer server) throws Exception {
    HttpResponse<byte[]> answer = client.send(request(one, server), BodyHandlers.ofByteArray());
    String body = new String(answer.body(), StandardCharsets.UTF_8);
    assertThat(answer.statusCode()).as(body).isEqualTo(one.get("http").asInt());
    String type = answer.headers().firstValue("Content-Type").orElseThrow();
    if (one.has("length")) {
      assertThat(answer.headers().firstValueAsLong("Content-Length"))
          .hasValue(one.get("length").asLong());
      assertThat(body).isEmpty();
    } else if (one.has("bytes")) {
      assertThat(type).isEqualTo("application/octet-stream");
      assertThat(body).isEqualTo(one.get("bytes").asText());
    } else if (one.has("chunks")) {
      assertThat(type).isEqualTo("application/octet-stream");
      compareMessages(one.get("chunks"), body);
    } else {
      assertThat(type).isEqualTo("application/json");
      compare(one, JSON.readTree(body));
    }
  }

  /** The messages of a stream, one behind the other. */
  private static void compareMessages(JsonNode expected, String body) throws IOException {
    try (MappingIterator<JsonNode> messages = JSON.readerFor(JsonNode.class).readValues(body)) {
      assertThat(messages.readAll()).containsExactlyElementsOf(expected);
    }
  }

  private static HttpRequest request(JsonNode one, RunningServer server) {
    var request = HttpRequest.newBuilder(URI.create(server.url() + one.get("path").asText()));
    if (one.has("content_type")) {
      request.header("Content-Type", one.get("content_type").asText());
    }
    byte[] body = one.path("body").asText("").getBytes(StandardCharsets.UTF_8);
    if (one.has("content_encoding")) {
      request.header("Content-Encoding", one.get("content_encoding").asText());
    } else if (one.path("gzip").asBoolean()) {
      request.header("Content-Encoding", "gzip");
      body = gzip(body);
    }
    return request.method(one.get("method").asText(), BodyPublishers.ofByteArray(body)).build();
  }

  private static byte[] gzip(byte[] bytes) {
    var packed = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  private static void compare(JsonNode one, JsonNode answer) {
    JsonNode status = answer.get("status");
    assertThat(status.get("code").asInt()).isEqualTo(one.get("http").asInt());
    if (one.has("json")) {
      assertThat(numbersByValue(answer)).isEqualTo(numbersByValue(one.get("json")));
    }
    if (one.has("msg_contains")) {
      assertThat(status.get("status").asText()).isEqualTo("FAILURE");
      assertThat(status.get("msg").asText()).contains(one.get("msg_contains").asText());
    }
    for (JsonNode part : one.path("str_data_contains")) {
      assertThat(answer.get("str_data").asText()).contains(part.asText());
    }
    if (one.has("gmap_has")) {
      JsonNode maps = one.get("gmap_has");
      maps.fieldNames()
          .forEachRemaining(
              map -> assertThat(answer.get("gmap").get(map)).isEqualTo(maps.get(map)));
    }
    if (one.has("tensor_has")) {
      assertThat(answer.get("gtensors").get("tensors"))
          .anySatisfy(tensor -> assertThat(tensor).isEqualTo(one.get("tensor_has")));
    }
  }

  /** The same document with every number written as a double, so that 1 equals 1.0. */
  private static JsonNode numbersByValue(JsonNode document) {
    try {
      return JSON.readTree(
          document.toString().replaceAll("(?<=[\\[,:])(-?\\d+)(?=[,\\]}])", "$1.0"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
