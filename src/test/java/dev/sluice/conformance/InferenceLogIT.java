package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.server.InferenceLogConfig;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of requests and responses with their tensors, of a real server. */
@Timeout(120)
class InferenceLogIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PREDICT = "/v1/models/half_plus_two:predict";

  @TempDir private Path folder;
  private Path file;
  private Path models;

  @SuppressWarnings("NullAway.Init") // Each test starts it.
  private RunningServer server;

  @BeforeEach
  void writeModels() throws IOException {
    file = folder.resolve("inference.jsonl");
    models = folder.resolve("models");
    TestModels.copy(Path.of("src/sample/models/half_plus_two"), models.resolve("half_plus_two"));
    TestModels.copy(Path.of("src/sample/models/types"), models.resolve("types"));
    StepModels.table(models, "table", "stream: { rows: 2 }\n");
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "3")
        .node("Neg", "y", "x")
        .output("y", OnnxModelWriter.FLOAT, "rows", "3")
        .writeTo(Files.createDirectories(models.resolve("wide/7")));
  }

  private void start(InferenceLogConfig log) {
    server =
        RunningServer.start(
            RecordCopy.with(RunningServer.settings(models), "observability.inferenceLog", log));
  }

  private InferenceLogConfig toFile(double ratio, long tensor, long record, String... redact) {
    return new InferenceLogConfig(
        Optional.of(file), Optional.empty(), ratio, tensor, record, 0, 1, Set.of(redact));
  }

  private static InferenceLogConfig toUrl(int port) {
    return new InferenceLogConfig(
        Optional.empty(),
        Optional.of(URI.create("http://localhost:" + port + "/events")),
        1,
        1_000,
        10_000,
        0,
        1,
        Set.of());
  }

  @AfterEach
  void close() {
    server.close();
    assertThat(TensorMemory.openBlocks()).isZero();
  }

  private HttpCaller.Answer post(String path, String body) {
    try (var http = new HttpCaller(server.port())) {
      return http.post(path, body);
    }
  }

  private List<JsonNode> records() throws IOException {
    server.close();
    List<JsonNode> records = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      records.add(JSON.readTree(line));
    }
    return records;
  }

  private JsonNode onlyRecord() throws IOException {
    List<JsonNode> records = records();
    assertThat(records).hasSize(1);
    return records.getFirst();
  }

  @ParameterizedTest
  @EnumSource(
      value = PredictClient.Protocol.class,
      names = {
        "V1_ROWS",
        "V1_COLUMNS",
        "V2_JSON",
        "V2_BINARY",
        "V2_GRPC_RAW",
        "TFS_CONTENT",
        "GRPS_HTTP",
        "GRPS_GRPC",
        "GRPS_BRPC"
      })
  void aCallIsOneRecordByEveryProtocol(PredictClient.Protocol protocol) throws Exception {
    start(toFile(1, 1_000, 10_000));
    try (var client = new PredictClient(server)) {
      client.ask(protocol, "wide", new float[] {1, 2.5f, -3}, 1, 3);
    }
    JsonNode record = onlyRecord();
    assertThat(record.path("model").asText()).isEqualTo("wide");
    assertThat(record.path("version").asLong()).isEqualTo(7);
    assertThat(record.path("status").asText()).isEqualTo("OK");
    assertThat(record.path("request_id").asText()).isNotEmpty();
    assertThat(record.path("duration_ms").asDouble()).isPositive();
    assertThat(record.path("inputs").toString())
        .isEqualTo(
            "[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[1.0,2.5,-3.0]}]");
    assertThat(record.path("outputs").toString())
        .isEqualTo(
            "[{\"name\":\"y\",\"datatype\":\"FP32\",\"shape\":[1,3],\"data\":[-1.0,-2.5,3.0]}]");
  }

  @Test
  void valuesThatJsonDoesNotHaveAreTexts() throws IOException {
    start(toFile(1, 1_000, 10_000));
    post(PREDICT, "{\"instances\":[NaN, Infinity, 1e-45]}");
    assertThat(onlyRecord().path("inputs").path(0).path("data").toString())
        .isEqualTo("[\"NaN\",\"Infinity\",1.4E-45]");
  }

  @Test
  void redactedTensorsHaveNoValues() throws IOException {
    start(toFile(1, 1_000, 10_000, "y", "half_plus_two/x"));
    post(PREDICT, "{\"instances\":[4711.0]}");
    post("/v1/models/wide:predict", "{\"instances\":[[1.0,2.0,3.0]]}");
    List<JsonNode> records = records();
    assertThat(records.get(0).path("inputs").toString())
        .isEqualTo(
            "[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1],\"omitted\":\"redacted\"}]");
    assertThat(records.get(0).path("outputs").toString()).doesNotContain("data\"");
    assertThat(records.get(1).path("inputs").path(0).path("data")).hasSize(3);
    assertThat(records.get(1).path("outputs").path(0).has("data")).isFalse();
    assertThat(Files.readString(file)).doesNotContain("4711");
  }

  @Test
  void largeTensorsAndRecordsLoseTheirValues() throws IOException {
    start(toFile(1, 40, 600));
    post(PREDICT, "{\"instances\":[" + "1.0,".repeat(10) + "1.0]}");
    post(PREDICT, "{\"instances\":[" + "1.0,".repeat(9) + "1.0]}");
    List<JsonNode> records = records();
    assertThat(records.get(0).path("inputs").path(0).path("omitted").asText()).isEqualTo("size");
    assertThat(records.get(0).path("inputs").path(0).path("shape").toString()).isEqualTo("[11]");
    assertThat(records.get(1).path("inputs").path(0).path("data")).hasSize(10);
    assertThat(records.get(1).path("outputs").path(0).path("omitted").asText()).isEmpty();
  }

  @Test
  void aShareOfTheCallsIsRecorded() throws IOException {
    start(toFile(0.5, 40, 600));
    try (var http = new HttpCaller(server.port())) {
      for (int i = 0; i < 200; i++) {
        http.send("POST", PREDICT, Buffer.buffer("{\"instances\":[1.0]}"));
      }
    }
    assertThat(records()).hasSizeBetween(50, 150);
  }

  @Test
  void aFailureIsRecordedWithItsReason() throws IOException {
    start(toFile(1, 1_000, 10_000));
    post(
        "/v2/models/table/infer",
        "{\"inputs\":[{\"name\":\"at\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[4711]}]}");
    JsonNode record = onlyRecord();
    assertThat(record.path("status").asText()).isNotEqualTo("OK").isNotEmpty();
    assertThat(record.path("message").asText()).isNotEmpty();
    assertThat(record.path("inputs").path(0).path("data").toString()).isEqualTo("[4711]");
  }

  @Test
  void anExplanationIsTheRecordOfThePredictionThatItExplains() throws IOException {
    Files.writeString(models.resolve("wide/model.yml"), "explain: { method: shapley }\n");
    start(toFile(1, 1_000, 10_000));
    assertThat(post("/v1/models/wide:explain", "{\"instances\": [[1, 2, 3]]}").status())
        .isEqualTo(200);
    JsonNode record = onlyRecord();
    assertThat(record.path("inputs").path(0).path("data").toString()).isEqualTo("[1.0,2.0,3.0]");
    assertThat(record.path("outputs").path(0).path("data").toString())
        .isEqualTo("[-1.0,-2.0,-3.0]");
  }

  @Test
  void aStreamIsOneRecordWithAllItsResponses() throws IOException {
    start(toFile(1, 1_000, 10_000));
    HttpCaller.Answer answer =
        post(
            "/grps/v1/infer/predict?streaming=true",
            "{\"model\":\"table\",\"gtensors\":{\"tensors\":[{\"name\":\"at\",\"dtype\":\"DT_INT64\","
                + "\"flat_int64\":[0,1,2],\"shape\":[3]}]}}");
    assertThat(answer.text()).contains("SUCCESS");
    JsonNode record = onlyRecord();
    assertThat(record.path("status").asText()).isEqualTo("OK");
    assertThat(record.path("responses")).hasSize(2);
    assertThat(record.path("responses").path(0).path(0).path("data").isArray()).isTrue();
  }

  @Test
  void cloudEventsAreThoseOfKservesLogger() throws Exception {
    record Event(Map<String, String> headers, String body) {}
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    Vertx vertx = Vertx.vertx();
    try {
      HttpServer receiver =
          vertx
              .createHttpServer()
              .requestHandler(request ->
                  request
                      .body()
                      .onSuccess(body -> {
                        Map<String, String> headers = new TreeMap<>();
                        request
                            .headers()
                            .forEach(
                                (name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
                        events.add(new Event(headers, body.toString()));
                        request.response().setStatusCode(202).end();
                      }))
              .listen(0)
              .await(20, TimeUnit.SECONDS);
      start(toUrl(receiver.actualPort()));
      post(PREDICT, "{\"instances\":[2.0]}");
      Event request = events.poll(20, TimeUnit.SECONDS);
      Event response = events.poll(20, TimeUnit.SECONDS);
      assertThat(request).isNotNull();
      assertThat(response).isNotNull();
      assertThat(request.headers)
          .containsEntry("ce-specversion", "1.0")
          .containsEntry("ce-type", "org.kubeflow.serving.inference.request")
          .containsEntry("ce-inferenceservicename", "half_plus_two")
          .containsEntry("ce-source", "/v2/models/half_plus_two/versions/2")
          .containsEntry("content-type", "application/json")
          .containsEntry("ce-id", response.headers.get("ce-id"));
      assertThat(response.headers)
          .containsEntry("ce-type", "org.kubeflow.serving.inference.response");
      assertThat(JSON.readTree(request.body).path("inputs").path(0).path("data").toString())
          .isEqualTo("[2.0]");
      assertThat(JSON.readTree(response.body).path("outputs").path(0).path("data").toString())
          .isEqualTo("[3.0]");
    } finally {
      vertx.close().await(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void aReceiverThatIsNotThereCostsRecordsAndNoCall() throws Exception {
    start(toUrl(1));
    for (int i = 0; i < 3; i++) {
      assertThat(post(PREDICT, "{\"instances\":[2.0]}").status()).isEqualTo(200);
    }
    String failed = "sluice_inference_log_dropped_total{reason=\"write_failed\"} 3";
    try (var http = new HttpCaller(server.port())) {
      Polling.await(
          "three writes have failed",
          () -> http.send("GET", "/metrics", Buffer.buffer()).text().contains(failed));
    }
  }

  @Test
  void aReceiverThatNeverAnswersHoldsUpNoCallAndIsLeftInTime() throws Exception {
    BlockingQueue<HttpServerRequest> silent = new LinkedBlockingQueue<>();
    Vertx vertx = Vertx.vertx();
    try {
      HttpServer receiver =
          vertx
              .createHttpServer()
              .requestHandler(silent::add)
              .listen(0)
              .await(20, TimeUnit.SECONDS);
      start(toUrl(receiver.actualPort()));
      for (int i = 0; i < 100; i++) {
        assertThat(post(PREDICT, "{\"instances\":[2.0]}").status()).isEqualTo(200);
      }
      HttpServerRequest first = silent.poll(20, TimeUnit.SECONDS);
      assertThat(first).isNotNull();
      var givenUp = new CompletableFuture<Void>();
      first.connection().closeHandler(givenUp::complete);
      assertThat(givenUp).as("what nobody waits for any more").succeedsWithin(20, TimeUnit.SECONDS);
    } finally {
      vertx.close().await(20, TimeUnit.SECONDS);
    }
  }
}
