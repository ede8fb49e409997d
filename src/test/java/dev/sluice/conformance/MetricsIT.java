package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.protocol.oip.grpc.proto.InferStatistics;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsResponse;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannelBuilder;
import io.restassured.RestAssured;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The metrics page and the statistics, beside what the clients themselves count. */
class MetricsIT {
  private static final String PREDICT = "/v1/models/half_plus_two:predict";
  private static final String STATISTICS = "inference.GRPCInferenceService/ModelStatistics";

  private final HttpClient http = HttpClient.newHttpClient();
  private RunGate gate;
  private RunningServer server;

  @TempDir private Path models;

  @BeforeEach
  void start() throws IOException {
    gate = new RunGate(models.resolve("slow/1"));
    Files.writeString(models.resolve("slow/model.yml"), "max_queued_requests: 3\n");
    String halves = TestModels.sample("half_plus_two", "").toString();
    server =
        RunningServer.start(
            new SluiceConfigReader(_ -> {})
                .read(
                    Optional.empty(),
                    Map.of(),
                    List.of(
                        new SettingOverride("listeners", "localhost:0", "test"),
                        new SettingOverride("models.directory", models.toString(), "test"),
                        new SettingOverride("models.plugins", "slow", "test"),
                        new SettingOverride("models.list.half_plus_two", halves, "test"))));
  }

  @AfterEach
  void stop() {
    gate.close();
    http.close();
    server.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(server.url() + path));
  }

  private HttpRequest.Builder post(String path, String body) {
    return to(path).POST(BodyPublishers.ofString(body));
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  private PrometheusPage page() throws Exception {
    return new PrometheusPage(text(send(to("/metrics"))));
  }

  @Test
  void everyNameThatOtherServersHaveIsOnThePage() throws Exception {
    send(post(PREDICT, "{\"instances\":[1]}"));
    send(post("/v1/models/half_plus_two:explain", "{\"instances\":[1]}"));
    String page = text(send(to("/metrics")));
    for (String metric :
        Files.readAllLines(Path.of("src/test/resources/conformance/metrics.txt"))) {
      assertThat(page).contains("# TYPE " + metric + "\n");
    }
  }

  @Test
  void aListenerShowsTheNamesOfItsProtocolsAndOneForMetricsThoseOfAll() throws IOException {
    try (var several =
        RunningServer.start(
            RunningServer.settings(RunningServer.LISTENER, RepositoryConfig.DEFAULT)
                .with(
                    List.of(
                        RunningServer.listener(Set.of(Protocol.TFS, Protocol.METRICS)),
                        RunningServer.listener(Set.of(Protocol.OIP, Protocol.METRICS)),
                        RunningServer.listener(Set.of(Protocol.GRPS, Protocol.METRICS)),
                        RunningServer.listener(Set.of(Protocol.METRICS))),
                    RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ZERO)))) {
      assertThat(several.ports().stream().map(MetricsIT::servers))
          .containsExactly(
              List.of(":tensorflow:", "sluice_"),
              List.of("nv_", "sluice_"),
              List.of("sluice_"),
              List.of(":tensorflow:", "nv_", "sluice_"));
    }
  }

  /** Beginnings of the names on the page of a listener. */
  private static List<String> servers(int port) {
    String page = RestAssured.get("http://localhost:" + port + "/metrics").asString();
    return Stream.of(":tensorflow:", "nv_", "request_", "sluice_")
        .filter(prefix -> page.contains("# TYPE " + prefix))
        .toList();
  }

  @Test
  void statusAndMetadataOverRestAreCountedAsTensorflowServingDoes() throws Exception {
    assertThat(send(to("/v1/models/half_plus_two").GET()).statusCode()).isEqualTo(200);
    assertThat(send(to("/v1/models/half_plus_two/metadata").GET()).statusCode()).isEqualTo(200);
    assertThat(send(to("/v1/models/half_plus_two/versions/9").GET()).statusCode()).isEqualTo(404);
    assertThat(send(to("/v1/models/nobody/metadata").GET()).statusCode()).isEqualTo(404);

    PrometheusPage page = page();
    String count = ":tensorflow:serving:request_count";
    String[] served = {"model_name", "half_plus_two", "API", "", "entrypoint", "REST"};
    assertThat(page.sum(count, "model_name", "half_plus_two", "status", "OK")).isEqualTo(2);
    assertThat(page.sum(count, "model_name", "half_plus_two", "status", "NOT_FOUND")).isEqualTo(1);
    assertThat(page.sum(count, "model_name", "nobody", "status", "NOT_FOUND")).isEqualTo(1);
    assertThat(page.sum(":tensorflow:serving:request_latency", served)).isEqualTo(2);
  }

  @Test
  void callIsCountedByTheNamesOfEveryServerThatHasSuchCalls() throws Exception {
    assertThat(send(post(PREDICT, "{\"instances\":[1,2,3]}")).statusCode()).isEqualTo(200);
    assertThat(send(post(PREDICT, "{\"instances\":[")).statusCode()).isEqualTo(400);
    assertThat(send(post("/v1/models/nobody:predict", "{}")).statusCode()).isEqualTo(404);

    PrometheusPage page = page();
    String count = ":tensorflow:serving:request_count";
    String[] model = {"model_name", "half_plus_two"};
    assertThat(page.sum(count, "model_name", "half_plus_two", "status", "OK")).isEqualTo(1);
    assertThat(page.sum(count, "model_name", "half_plus_two")).isEqualTo(2);
    assertThat(page.sum(count, "model_name", "nobody", "status", "NOT_FOUND")).isEqualTo(1);
    assertThat(
            page.sum(
                ":tensorflow:serving:request_latency",
                "model_name",
                "half_plus_two",
                "API",
                "predict",
                "entrypoint",
                "REST"))
        .isEqualTo(1);
    assertThat(page.sum("request_predict_seconds", model)).isEqualTo(1);
    assertThat(page.sum("sluice_requests_total", "protocol", "v1", "status", "OK")).isEqualTo(1);
    assertThat(page.sum("sluice_signature_requests_total", "signature", "serving_default"))
        .isEqualTo(1);
    assertThat(page.sum("sluice_runs_total", "model", "half_plus_two")).isEqualTo(1);
    assertThat(page.sum("sluice_rows_total", "model", "half_plus_two"))
        .isEqualTo(page.sum("nv_inference_count", "model", "half_plus_two"))
        .isPositive();
    assertThat(page.sum("sluice_model_load_seconds", "model", "half_plus_two")).isPositive();
    assertThat(page.sum("sluice_response_cache_requests_total")).isZero();
    assertThat(page.sum("nv_inference_request_success", "model", "half_plus_two")).isEqualTo(1);
    assertThat(page.sum("sluice_model_state", "model", "slow", "state", "available")).isEqualTo(1);
    assertThat(page.sum("sluice_connections")).isPositive();
  }

  @Test
  void clientsStatisticsAndMetricsAgreeAfterAMixedLoad() throws Exception {
    Map<Integer, Integer> seen = new TreeMap<>();
    var running = http.sendAsync(slow("", "[1,2,3,4]"), BodyHandlers.ofByteArray());
    gate.awaitRun();
    cancelOneThatWaits();
    seen.merge(499, 1, Integer::sum);
    List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      String timeout = i % 3 == 0 ? "\"parameters\":{\"timeout\":20000}," : "";
      String data = i % 8 == 7 ? "[1,2]" : "[1,2,3,4]";
      answers.add(http.sendAsync(slow(timeout, data), BodyHandlers.ofByteArray()));
    }
    answers.add(running);
    pageWhen(now -> now.sum("sluice_requests_total", "status", "RESOURCE_EXHAUSTED") > 0);
    gate.open();
    for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
      seen.merge(answer.join().statusCode(), 1, Integer::sum);
    }
    assertThat(seen).containsKeys(200, 429, 499);

    PrometheusPage page = pageWhen(now -> now.sum("sluice_requests_total") == 26);
    check(page, seen, "OK", 200);
    check(page, seen, "INVALID_ARGUMENT", 400);
    check(page, seen, "RESOURCE_EXHAUSTED", 429);
    check(page, seen, "CANCELLED", 499);
    check(page, seen, "UNAVAILABLE", 503);
    check(page, seen, "DEADLINE_EXCEEDED", 504);
    double failures = page.sum("nv_inference_request_failure", "model", "slow");
    assertThat(page.sum("nv_inference_request_success", "model", "slow"))
        .isEqualTo(count(seen, 200));
    assertThat(failures)
        .isEqualTo(count(seen, 429) + count(seen, 499) + count(seen, 503) + count(seen, 504));
    agree(page, statistics());
    assertThat(overGrpc().getSuccess().getCount()).isEqualTo((long) count(seen, 200));
  }

  private HttpRequest slow(String parameters, String data) {
    return post(
            "/v2/models/slow/infer",
            "{%s\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[4],\"data\":%s}]}"
                .formatted(parameters, data))
        .build();
  }

  private void cancelOneThatWaits() throws Exception {
    var waiting = http.sendAsync(slow("", "[1,2,3,4]"), BodyHandlers.ofByteArray());
    pageWhen(now -> now.sum("nv_inference_pending_request_count", "model", "slow") == 1);
    waiting.cancel(true);
    pageWhen(now -> now.sum("sluice_requests_total", "status", "CANCELLED") == 1);
  }

  private PrometheusPage pageWhen(Predicate<PrometheusPage> condition) throws Exception {
    PrometheusPage page = page();
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.test(page)) {
      assertThat(System.nanoTime()).isLessThan(end);
      page = page();
    }
    return page;
  }

  private static double count(Map<Integer, Integer> seen, int status) {
    return seen.getOrDefault(status, 0);
  }

  private static void check(
      PrometheusPage page, Map<Integer, Integer> seen, String status, int code) {
    assertThat(page.sum("sluice_requests_total", "model", "slow", "status", status))
        .as(status)
        .isEqualTo(count(seen, code));
  }

  private JsonNode statistics() throws Exception {
    String text = text(send(to("/v2/models/slow/versions/1/stats")));
    return new ObjectMapper().readTree(text).at("/model_stats/0");
  }

  private InferStatistics overGrpc() throws Exception {
    var channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      var request = ModelStatisticsRequest.newBuilder().setName("slow").setVersion("1").build();
      byte[] answer = RawCalls.send(channel, STATISTICS, request.toByteArray());
      return ModelStatisticsResponse.parseFrom(answer).getModelStats(0).getInferenceStats();
    } finally {
      channel.shutdownNow();
    }
  }

  private static void agree(PrometheusPage page, JsonNode statistics) {
    String[] slow = {"model", "slow", "version", "1"};
    assertThat(page.sum("nv_inference_request_success", slow))
        .isEqualTo(statistics.at("/inference_stats/success/count").asDouble());
    assertThat(page.sum("nv_inference_request_failure", slow))
        .isEqualTo(statistics.at("/inference_stats/fail/count").asDouble());
    assertThat(statistics.at("/inference_stats/queue/count"))
        .isEqualTo(statistics.at("/inference_stats/success/count"));
    assertThat(page.sum("nv_inference_count", slow))
        .isEqualTo(statistics.at("/inference_count").asDouble());
    assertThat(page.sum("nv_inference_exec_count", slow))
        .isEqualTo(statistics.at("/execution_count").asDouble())
        .isEqualTo(statistics.at("/batch_stats/0/compute_infer/count").asDouble());
    assertThat(page.sum("nv_inference_queue_duration_us", slow) * 1_000)
        .isCloseTo(statistics.at("/inference_stats/queue/ns").asDouble(), offset(1.0));
    assertThat(statistics.at("/inference_stats/success/ns").asLong())
        .isGreaterThan(statistics.at("/inference_stats/compute_infer/ns").asLong());
    assertThat(statistics.at("/last_inference").asLong()).isPositive();
  }

  @Test
  void statisticsOfAllModelsAreThoseOfTheVersionsThatTakeRequests() throws Exception {
    JsonNode all = new ObjectMapper().readTree(text(send(to("/v2/models/stats"))));
    assertThat(all.get("model_stats").findValuesAsText("name"))
        .containsExactly("half_plus_two", "half_plus_two", "slow");
    assertThat(send(to("/v2/models/nobody/stats")).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
            + " | application/openmetrics-text; version=1.0.0; charset=utf-8",
        "application/openmetrics-text | application/openmetrics-text; version=1.0.0; charset=utf-8",
        "text/plain, application/openmetrics-text;q=0.9 | text/plain; version=0.0.4; charset=utf-8",
        "application/openmetrics-text;q=0 | text/plain; version=0.0.4; charset=utf-8",
        "*/* | text/plain; version=0.0.4; charset=utf-8"
      })
  void pageIsInTheFormatThatIsLikedBest(String accept, String contentType) throws Exception {
    HttpResponse<byte[]> page = send(to("/metrics").header("Accept", accept));
    assertThat(page.headers().firstValue("Content-Type")).hasValue(contentType);
    assertThat(page.headers().firstValue("Vary")).hasValue("accept, accept-encoding");
    boolean open = contentType.startsWith("application");
    assertThat(text(page).endsWith("# EOF\n")).isEqualTo(open);
    assertThat(text(page).contains("# TYPE sluice_connections_accepted_total counter\n"))
        .isEqualTo(!open);
    assertThat(text(page)).contains("\nsluice_connections_accepted_total{");
  }

  @Test
  void pageIsZippedForWhoAsksAndIsReadOnly() throws Exception {
    HttpResponse<byte[]> zipped = send(to("/metrics").header("Accept-Encoding", "gzip"));
    assertThat(zipped.headers().firstValue("Content-Encoding")).hasValue("gzip");
    byte[] text = new GZIPInputStream(new ByteArrayInputStream(zipped.body())).readAllBytes();
    assertThat(new String(text, StandardCharsets.UTF_8)).contains("nv_inference_count{");
    assertThat(zipped.headers().firstValue("Content-Type"))
        .hasValue("text/plain; version=0.0.4; charset=utf-8");
    assertThat(send(post("/metrics", "")).statusCode()).isEqualTo(405);
  }
}
