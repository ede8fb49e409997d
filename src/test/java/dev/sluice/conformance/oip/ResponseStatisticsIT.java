package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferResponseStatistics;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statistics of models whose requests have any number of responses. */
@Timeout(60)
class ResponseStatisticsIT {
  @TempDir private Path models;
  private RunningServer server;
  private HttpCaller http;

  @BeforeEach
  void start() throws IOException {
    StepModels.table(models, "rep", "stream: { rows: 1, decoupled: true }\n");
    StepModels.table(models, "table", "stream: { rows: 1 }\n");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private String stream(String model, String at) {
    return http.send(
            "POST",
            "/v2/models/" + model + "/generate_stream",
            Buffer.buffer("{\"at\":" + at + "}"))
        .text();
  }

  private JsonNode statistics(String model) throws IOException {
    return whole(model).at("/response_stats");
  }

  private JsonNode whole(String model) throws IOException {
    String path = "/v2/models/" + model + "/stats";
    return new JsonMapper()
        .readTree(http.send("GET", path, Buffer.buffer()).text())
        .at("/model_stats/0");
  }

  /** Three responses; one and a failure; none. */
  private void streamThrice() {
    assertThat(stream("rep", "[0,1,2]").split("data: ")).hasSize(1 + 3);
    assertThat(stream("rep", "[0,9]")).contains("data: {\"error\":");
    assertThat(stream("rep", "[]")).isEmpty();
  }

  @Test
  void responsesAreCountedByTheirPlaceOverHttp() throws IOException {
    streamThrice();
    JsonNode places = statistics("rep");
    assertThat(places.size()).isEqualTo(3);
    isCounted(places.path("0"), 2, 0, 1);
    isCounted(places.path("1"), 1, 1, 0);
    isCounted(places.path("2"), 1, 0, 0);
  }

  private static void isCounted(JsonNode place, int success, int fail, int empty) {
    assertThat(place.size()).isEqualTo(6);
    assertThat(place.at("/success/count").asInt()).isEqualTo(success);
    assertThat(place.at("/fail/count").asInt()).isEqualTo(fail);
    assertThat(place.at("/empty_response/count").asInt()).isEqualTo(empty);
    assertThat(place.at("/cancel/count").asInt()).isZero();
    assertThat(place.at("/compute_output/count").asInt()).isEqualTo(success);
    assertThat(place.at("/compute_infer/count").asInt()).isEqualTo(success + fail + empty);
    assertThat(place.at("/compute_infer/ns").asLong()).isPositive();
  }

  @Test
  void theyAreTheSameOverGrpc() throws IOException {
    streamThrice();
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      Map<String, InferResponseStatistics> places =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .modelStatistics(ModelStatisticsRequest.newBuilder().setName("rep").build())
              .getModelStats(0)
              .getResponseStatsMap();
      assertThat(places).containsOnlyKeys("0", "1", "2");
      assertThat(places)
          .hasEntrySatisfying("0", place -> isCounted(place, 2, 0, 1))
          .hasEntrySatisfying("1", place -> isCounted(place, 1, 1, 0))
          .hasEntrySatisfying("2", place -> isCounted(place, 1, 0, 0));
    } finally {
      channel.shutdownNow();
    }
  }

  private static void isCounted(InferResponseStatistics place, int success, int fail, int empty) {
    assertThat(place.getSuccess().getCount()).isEqualTo(success);
    assertThat(place.getFail().getCount()).isEqualTo(fail);
    assertThat(place.getEmptyResponse().getCount()).isEqualTo(empty);
    assertThat(place.getCancel().getCount()).isZero();
    assertThat(place.getComputeOutput().getCount()).isEqualTo(success);
    assertThat(place.getComputeInfer().getCount()).isEqualTo(success + fail + empty);
    assertThat(place.getSuccess().getNs()).isNotNegative();
  }

  @Test
  void whereEachRequestHasOneResponseThereIsNothingToTellApart() throws IOException {
    assertThat(stream("table", "[0,1]").split("data: ")).hasSize(1 + 2);
    assertThat(statistics("table").isObject()).isTrue();
    assertThat(statistics("table").isEmpty()).isTrue();
  }

  @Test
  void streamIsOneRequestAndItsStepsAreRuns() throws IOException {
    streamThrice();
    JsonNode all = whole("rep");
    assertThat(all.at("/inference_stats/success/count").asInt()).isEqualTo(2);
    assertThat(all.at("/inference_stats/fail/count").asInt()).isEqualTo(1);
    assertThat(all.at("/inference_stats/queue/count").asInt()).isEqualTo(4);
    assertThat(all.at("/inference_stats/success/ns").asLong())
        .isGreaterThan(all.at("/batch_stats/0/compute_infer/ns").asLong() / 2);
    assertThat(all.at("/execution_count").asInt()).isEqualTo(4);
    assertThat(all.at("/inference_count").asInt()).isEqualTo(4);
    var page = new PrometheusPage(http.send("GET", "/metrics", Buffer.buffer()).text());
    assertThat(page.sum("nv_inference_request_success", "model", "rep")).isEqualTo(2);
    assertThat(page.sum("sluice_signature_requests_total", "model", "rep")).isEqualTo(2);
  }
}
