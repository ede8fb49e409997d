package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.MessageLite;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunGate;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What many clients of all protocols count themselves, at the same time and with mistakes and
 * changes of mind, is what every statistic and metric says.
 */
class MixedLoadIT {
  private static final int CALLERS = 32;
  private static final int ROUNDS = 6;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String[] TWICE = {"model", "twice", "version", "1"};
  private static final String[] SLOW = {"model", "slow", "version", "1"};

  private final Map<String, Integer> seen = new ConcurrentSkipListMap<>();
  private final AtomicInteger rows = new AtomicInteger();
  private final HttpClient http = HttpClient.newHttpClient();
  private RunGate gate;
  private RunningServer server;
  private ManagedChannel channel;

  @TempDir private Path models;

  @BeforeEach
  void start() throws Exception {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    Files.writeString(models.resolve("twice/model.yml"), "max_batch_size: 16\n");
    gate = new RunGate(models.resolve("slow/1"));
    Files.writeString(models.resolve("slow/model.yml"), "max_queued_requests: 3\n");
    server = RunningServer.startWithPlugins(models);
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    gate.close();
    channel.shutdownNow();
    http.close();
    server.close();
  }

  @Test
  void everyCountIsTheClientsOwn() throws Exception {
    List<Callable<Void>> calls = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      calls.add(this::callAllWays);
    }
    calls.add(this::overloadAndDisconnect);
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> each : callers.invokeAll(calls)) {
        each.get();
      }
    }
    int sent = seen.values().stream().mapToInt(Integer::intValue).sum();
    PrometheusPage page =
        pageWhen(sent + " are counted", now -> now.sum("sluice_requests_total") == sent);
    callsAreThoseOfTheClients(page);
    familiesOfTheServersAgree(page);
    agree(page, statistics("twice"), TWICE);
    agree(page, statistics("slow"), SLOW);
    assertThat(page.sum("nv_inference_count", TWICE)).isEqualTo(rows.get());
  }

  private Void callAllWays() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      seen("v1", post("/v1/models/twice:predict", "{\"instances\":[[1,2],[3,4]]}"), 2);
      seen("v1", post("/v1/models/twice:predict", "{\"instances\":[[1,2],[3]]}"), 0);
      seen("oip", post("/v2/models/twice/infer", v2("twice", "x", 3, "[1,2,3,4,5,6]")), 3);
      seen("oip", post("/v2/models/twice/infer", v2("twice", "x", 1, "[1]")), 0);
      seen("oip", grpc("inference.GRPCInferenceService/ModelInfer", infer("twice", "x", 1)), 1);
      seen("oip", grpc("inference.GRPCInferenceService/ModelInfer", infer("twice", "z", 1)), 0);
      seen("tfs", grpc("tensorflow.serving.PredictionService/Predict", predict("x")), 2);
      seen("tfs", grpc("tensorflow.serving.PredictionService/Predict", predict("z")), 0);
      stream();
    }
    return null;
  }

  /** More at once than may wait, of whom some are impatient and some leave. */
  private Void overloadAndDisconnect() throws Exception {
    var stub = GRPCInferenceServiceGrpc.newFutureStub(channel);
    var leaving = new ArrayList<Future<?>>();
    leaving.add(stub.modelInfer(infer("slow", "x", 4)));
    gate.awaitRun();
    for (int i = 0; i < 2; i++) {
      leaving.add(stub.modelInfer(infer("slow", "x", 4)));
    }
    pageWhen(
        "two wait behind the one that runs",
        now -> now.sum("nv_inference_pending_request_count", "model", "slow") == 2);
    leaving.getLast().cancel(true);
    pageWhen("one has left", now -> now.sum("sluice_requests_total", "status", "CANCELLED") == 1);
    count("oip CANCELLED");
    List<CompletableFuture<Integer>> answers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      String impatient = i % 4 == 0 ? "\"parameters\":{\"timeout\":20000}," : "";
      String body = v2("slow", "x", 4, "[1,2,3,4]").replace("{\"inputs\"", "{%s\"inputs\"");
      answers.add(
          http.sendAsync(
                  request("/v2/models/slow/infer", body.formatted(impatient)),
                  BodyHandlers.discarding())
              .thenApply(answer -> answer.statusCode()));
    }
    pageWhen(
        "one is refused",
        now -> now.sum("sluice_requests_total", "status", "RESOURCE_EXHAUSTED") > 0);
    gate.open();
    for (CompletableFuture<Integer> answer : answers) {
      count("oip " + name(answer.join()));
    }
    for (Future<?> answer : leaving.subList(0, 2)) {
      answer.get();
      count("oip OK");
    }
    return null;
  }

  /** Three on one stream, of which one is wrong. */
  private void stream() throws Exception {
    var ended = new CompletableFuture<Void>();
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(channel)
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse answer) {
                    boolean good = answer.getErrorMessage().isEmpty();
                    seen("oip", good ? "OK" : "INVALID_ARGUMENT", good ? 2 : 0);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    ended.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(null);
                  }
                });
    requests.onNext(infer("twice", "x", 2));
    requests.onNext(infer("twice", "z", 2));
    requests.onNext(infer("twice", "x", 2));
    requests.onCompleted();
    ended.get(1, TimeUnit.MINUTES);
  }

  private void seen(String protocol, String status, int rowsThatRan) {
    assertThat(status.equals("OK")).as(status).isEqualTo(rowsThatRan > 0);
    rows.addAndGet(rowsThatRan);
    count(protocol + " " + status);
  }

  private void count(String outcome) {
    seen.merge(outcome, 1, Integer::sum);
  }

  private int counted(String outcome) {
    return seen.getOrDefault(outcome, 0);
  }

  private void callsAreThoseOfTheClients(PrometheusPage page) {
    assertThat(seen.keySet())
        .contains("oip CANCELLED", "oip RESOURCE_EXHAUSTED", "tfs INVALID_ARGUMENT", "v1 OK");
    seen.forEach((outcome, count) -> {
      String[] words = outcome.split(" ", 2);
      assertThat(page.sum("sluice_requests_total", "protocol", words[0], "status", words[1]))
          .as(outcome)
          .isEqualTo(count.doubleValue());
    });
  }

  private void familiesOfTheServersAgree(PrometheusPage page) {
    assertThat(page.sum(":tensorflow:serving:request_count", "status", "OK"))
        .isEqualTo(page.sum(":tensorflow:serving:request_latency"))
        .isEqualTo(counted("v1 OK") + counted("tfs OK"));
    assertThat(page.sum(":tensorflow:serving:request_count", "status", "INVALID_ARGUMENT"))
        .isEqualTo(counted("v1 INVALID_ARGUMENT") + counted("tfs INVALID_ARGUMENT"));
    assertThat(page.sum("request_postprocess_seconds"))
        .isEqualTo(counted("v1 OK") + counted("oip OK"));
    assertThat(page.sum("nv_inference_request_success"))
        .isEqualTo(page.sum("sluice_requests_total", "status", "OK"))
        .isEqualTo(page.sum("sluice_request_seconds"));
    assertThat(page.sum("nv_inference_request_failure", SLOW))
        .isEqualTo(
            page.sum("sluice_requests_total", "model", "slow")
                - page.sum("sluice_requests_total", "model", "slow", "status", "OK"));
    assertThat(page.sum("nv_inference_pending_request_count")).isZero();
  }

  private static void agree(PrometheusPage page, JsonNode statistics, String... version) {
    assertThat(page.sum("nv_inference_request_success", version))
        .isEqualTo(statistics.at("/inference_stats/success/count").asDouble())
        .isEqualTo(statistics.at("/inference_stats/queue/count").asDouble())
        .isEqualTo(statistics.at("/inference_stats/compute_infer/count").asDouble());
    assertThat(page.sum("nv_inference_count", version))
        .isEqualTo(statistics.at("/inference_count").asDouble());
    double runs = 0;
    for (JsonNode size : statistics.at("/batch_stats")) {
      runs += size.at("/compute_infer/count").asDouble();
    }
    assertThat(page.sum("nv_inference_exec_count", version))
        .isEqualTo(statistics.at("/execution_count").asDouble())
        .isEqualTo(page.sum("sluice_compute_seconds", version))
        .isEqualTo(runs);
    assertThat(page.sum("sluice_queue_seconds", version))
        .isEqualTo(statistics.at("/inference_stats/queue/count").asDouble());
    assertThat(Math.round(page.sum("nv_inference_request_duration_us", version) * 1_000))
        .isEqualTo(statistics.at("/inference_stats/success/ns").asLong());
  }

  private JsonNode statistics(String model) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + "/v2/models/" + model + "/stats"));
    String text = http.send(request.build(), BodyHandlers.ofString()).body();
    return new ObjectMapper().readTree(text).at("/model_stats/0");
  }

  private PrometheusPage pageWhen(String what, Predicate<PrometheusPage> condition)
      throws Exception {
    var request = HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build();
    long end = System.nanoTime() + TIMEOUT.toNanos();
    String text = http.send(request, BodyHandlers.ofString()).body();
    while (!condition.test(new PrometheusPage(text))) {
      assertThat(System.nanoTime()).as("until %s%n%s", what, text).isLessThan(end);
      text = http.send(request, BodyHandlers.ofString()).body();
    }
    return new PrometheusPage(text);
  }

  private HttpRequest request(String path, String body) {
    return HttpRequest.newBuilder(URI.create(server.url() + path))
        .timeout(TIMEOUT)
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  private String post(String path, String body) throws Exception {
    return name(http.send(request(path, body), BodyHandlers.discarding()).statusCode());
  }

  private static String name(int status) {
    return switch (status) {
      case 200 -> "OK";
      case 400 -> "INVALID_ARGUMENT";
      case 429 -> "RESOURCE_EXHAUSTED";
      case 503 -> "UNAVAILABLE";
      case 504 -> "DEADLINE_EXCEEDED";
      default -> throw new AssertionError(status);
    };
  }

  private String grpc(String method, MessageLite message) {
    try {
      RawCalls.send(channel, method, message.toByteArray());
      return "OK";
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode().name();
    }
  }

  private static String v2(String model, String input, int size, String data) {
    String shape = model.equals("twice") ? size + ",2" : "" + size;
    return "{\"inputs\":[{\"name\":\"%s\",\"datatype\":\"FP32\",\"shape\":[%s],\"data\":%s}]}"
        .formatted(input, shape, data);
  }

  private static ModelInferRequest infer(String model, String input, int size) {
    List<Long> shape = model.equals("twice") ? List.of((long) size, 2L) : List.of((long) size);
    long elements = shape.stream().reduce(1L, Math::multiplyExact);
    var contents = InferTensorContents.newBuilder();
    for (int i = 0; i < elements; i++) {
      contents.addFp32Contents(i);
    }
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName(input)
                .setDatatype("FP32")
                .addAllShape(shape)
                .setContents(contents))
        .build();
  }

  private static PredictRequest predict(String input) {
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(2);
    shape.addDimBuilder().setSize(2);
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("twice"))
        .putInputs(
            input,
            TensorProto.newBuilder()
                .setDtype(DataType.DT_FLOAT)
                .setTensorShape(shape)
                .addAllFloatVal(List.of(1f, 2f, 3f, 4f))
                .build())
        .build();
  }
}
