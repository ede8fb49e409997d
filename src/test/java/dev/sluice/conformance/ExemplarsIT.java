package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.Polling;
import dev.sluice.testing.Prometheus;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a chart to a trace: histograms name sampled requests, for readers of OpenMetrics. */
class ExemplarsIT {
  private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String TRACEPARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String NOT_SAMPLED = "00-" + TRACE + "-00f067aa0ba902b7-00";
  private static final List<String> HISTOGRAMS =
      List.of("sluice_request_seconds", "sluice_queue_seconds", "sluice_compute_seconds");

  @TempDir private Path folder;
  private OtlpCollector collector;
  private RunningServer server;
  private HttpCaller caller;

  @BeforeEach
  void serveWithACollector() throws IOException {
    Path models = folder.resolve("models");
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    collector = new OtlpCollector();
    server =
        RunningServer.start(
            RecordCopy.with(
                RecordCopy.with(
                    RunningServer.settings(models), "observability.tracing.samplingRatio", 0.0),
                "observability.tracing.collector.endpoint",
                Optional.of(collector.address())));
    caller = new HttpCaller(server.port());
  }

  @AfterEach
  void close() {
    caller.close();
    server.close();
    collector.close();
  }

  private void predict(String traceparent) {
    var headers = MultiMap.caseInsensitiveMultiMap().add("traceparent", traceparent);
    var answer =
        caller.send(
            "POST",
            "/v1/models/half_plus_two:predict",
            headers,
            Buffer.buffer("{\"instances\":[1.0]}"));
    assertThat(answer.status()).isEqualTo(200);
  }

  private void infer() {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    try {
      var metadata = new Metadata();
      metadata.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), TRACEPARENT);
      var request = ModelInferRequest.newBuilder().setModelName("half_plus_two");
      request
          .addInputsBuilder()
          .setName("x")
          .setDatatype("FP32")
          .addShape(1)
          .setContents(InferTensorContents.newBuilder().addFp32Contents(1));
      var _ =
          GRPCInferenceServiceGrpc.newBlockingStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
              .modelInfer(request.build());
    } finally {
      channel.shutdownNow();
    }
  }

  private String page(String accept) {
    var headers = MultiMap.caseInsensitiveMultiMap().add("accept", accept);
    return caller.send("GET", "/metrics", headers, Buffer.buffer()).text();
  }

  private String serverSpan() {
    return collector.trace(TRACE).stream()
        .filter(span -> span.getKind() == Span.SpanKind.SPAN_KIND_SERVER)
        .map(OtlpCollector::spanId)
        .findFirst()
        .orElseThrow();
  }

  private List<String> exemplars() {
    return page(OPEN_METRICS).lines().filter(line -> line.contains(" # {")).toList();
  }

  @Test
  void bucketsNameTheTraceAndTheSpanOfASampledRequest() {
    predict(TRACEPARENT);

    String span = serverSpan();
    assertThat(HISTOGRAMS)
        .allSatisfy(histogram ->
            assertThat(exemplars())
                .filteredOn(line -> line.startsWith(histogram + "_bucket{"))
                .singleElement()
                .asString()
                .matches(
                    ".* # \\{span_id=\"%s\",trace_id=\"%s\"} [0-9.E-]+ [0-9]+\\.[0-9]{3}"
                        .formatted(span, TRACE)));
  }

  @Test
  void callsOverGrpcHaveThemToo() {
    infer();

    assertThat(exemplars())
        .filteredOn(line -> line.startsWith("sluice_request_seconds_bucket{"))
        .singleElement()
        .asString()
        .contains("transport=\"grpc\"", TRACE);
  }

  @Test
  void requestsWithoutASpanHaveNone() {
    predict(NOT_SAMPLED);

    assertThat(exemplars()).isEmpty();
  }

  @Test
  void thePlainPageAndTheNamesOfOtherServersHaveNone() {
    predict(TRACEPARENT);

    assertThat(page("text/plain")).doesNotContain(" # {").contains("sluice_request_seconds");
    assertThat(exemplars()).allMatch(line -> line.startsWith("sluice_"));
  }

  @Test
  void prometheusScrapesAndKeepsThem() throws Exception {
    predict(TRACEPARENT);
    try (var prometheus = Prometheus.start(folder, server.port())) {
      for (String histogram : HISTOGRAMS) {
        String query = "histogram_quantile(0.99, rate(" + histogram + "_bucket[1m]))";
        Polling.await(histogram + " has an exemplar", () -> !prometheus.exemplars(query).isEmpty());
        JsonArray series = prometheus.exemplars(query);
        assertThat(series).hasSize(1);
        assertThat(
                series
                    .getJsonObject(0)
                    .getJsonArray("exemplars")
                    .getJsonObject(0)
                    .getJsonObject("labels")
                    .getString("trace_id"))
            .isEqualTo(TRACE);
      }
    }
  }
}
