package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest.InferInputTensor;
import dev.sluice.protocol.oip.grpc.proto.ModelStreamInferResponse;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trace files of {@code sluice tritonserver}, read as Triton's summary tool reads them: all
 * elements of one id are one trace, and the times of its points grow.
 */
class TraceFileIT {
  private static final Path MODELS = Path.of("src/test/models");
  private static final List<String> HANDLER =
      List.of(
          "REQUEST_START",
          "QUEUE_START",
          "COMPUTE_START",
          "COMPUTE_INPUT_END",
          "COMPUTE_OUTPUT_START",
          "COMPUTE_END",
          "REQUEST_END");

  @TempDir Path folder;
  private final int port = ChildServer.freePort();
  private final ManagedChannel channel =
      ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();

  @AfterEach
  void close() {
    channel.shutdownNow();
  }

  /** What the file says of one id. */
  private static final class Traced {
    private final Map<String, Long> points = new LinkedHashMap<>();
    private final Map<String, String> tensors = new LinkedHashMap<>();
    private String model = "";
    private String requestId = "";
    private long parent;
  }

  private ChildServer start(String... flags) throws IOException {
    Path repository = Files.createDirectories(folder.resolve("repository"));
    TestModels.copy(MODELS.resolve("oip/addsub"), repository.resolve("addsub"));
    TestModels.copy(MODELS.resolve("oip_ensembles/idi32"), repository.resolve("idi32"));
    TestModels.copy(MODELS.resolve("oip_ensembles/ens"), repository.resolve("ens"));
    List<String> line = new ArrayList<>();
    line.addAll(
        List.of(
            "tritonserver",
            "--model-repository=" + repository,
            "--http-address=localhost",
            "--http-port=" + port,
            "--grpc-address=localhost",
            "--grpc-port=" + port,
            "--allow-metrics=false",
            "--enable-control=tracing",
            "--trace-config=triton,file=" + file()));
    line.addAll(List.of(flags));
    ChildServer child = ChildServer.start(line.toArray(String[]::new));
    child.awaitModel("ens/1");
    return child;
  }

  private Path file() {
    return folder.resolve("trace.json");
  }

  private Answer post(String path, String body) {
    try (var caller = new HttpCaller(port)) {
      return caller.send("POST", path, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(body));
    }
  }

  private int askByHttp(String model, String id) {
    String sixteen = IntStream.range(0, 16).boxed().toList().toString();
    String input = "{\"name\":\"INPUT%d\",\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":%s}";
    return post(
            "/v2/models/" + model + "/infer",
            "{\"id\":\"%s\",\"inputs\":[%s,%s]}"
                .formatted(id, input.formatted(0, sixteen), input.formatted(1, sixteen)))
        .status();
  }

  private static ModelInferRequest request(String id) {
    var request = ModelInferRequest.newBuilder().setModelName("addsub").setId(id);
    for (int i = 0; i < 2; i++) {
      var contents = InferTensorContents.newBuilder();
      IntStream.range(0, 16).forEach(contents::addIntContents);
      request.addInputs(
          InferInputTensor.newBuilder()
              .setName("INPUT" + i)
              .setDatatype("INT32")
              .addShape(1)
              .addShape(16)
              .setContents(contents));
    }
    return request.build();
  }

  private void askByStream(String id) throws Exception {
    var answered = new CompletableFuture<ModelStreamInferResponse>();
    var ended = new CompletableFuture<Void>();
    StreamObserver<ModelInferRequest> requests =
        GRPCInferenceServiceGrpc.newStub(channel)
            .modelStreamInfer(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ModelStreamInferResponse response) {
                    answered.complete(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answered.completeExceptionally(failure);
                    ended.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(null);
                  }
                });
    requests.onNext(request(id));
    assertThat(answered.get(30, TimeUnit.SECONDS).getErrorMessage()).isEmpty();
    requests.onCompleted();
    ended.get(30, TimeUnit.SECONDS);
  }

  private static Map<Long, Traced> read(Path file) throws IOException {
    Map<Long, Traced> traces = new LinkedHashMap<>();
    for (JsonNode element : new ObjectMapper().readTree(file.toFile())) {
      Traced trace = traces.computeIfAbsent(element.get("id").asLong(), _ -> new Traced());
      if (element.has("model_name")) {
        trace.model = element.get("model_name").asText() + "/" + element.get("model_version");
        trace.requestId = element.path("request_id").asText();
        trace.parent = element.path("parent_id").asLong();
      }
      element
          .path("timestamps")
          .forEach(point -> trace.points.put(point.get("name").asText(), point.get("ns").asLong()));
      if (element.has("activity")) {
        JsonNode tensor = element.get("tensor");
        trace.tensors.put(
            element.get("activity").asText() + " " + tensor.get("name").asText(),
            "%s %s %s"
                .formatted(
                    tensor.get("dtype").asText(),
                    tensor.get("shape").asText(),
                    tensor.path("data").asText()));
      }
    }
    return traces;
  }

  private static Traced named(Map<Long, Traced> traces, String requestId, String model) {
    return traces.values().stream()
        .filter(trace -> trace.requestId.equals(requestId) && trace.model.equals(model))
        .reduce((_, _) -> {
          throw new AssertionError("two traces of " + model);
        })
        .orElseThrow();
  }

  private static void assertGrow(Traced trace, String... points) {
    assertThat(trace.points).containsKeys(points);
    assertThat(List.of(points).stream().map(trace.points::get).toList()).isSorted();
  }

  @Test
  void everyRoadOfARequestIsInTheFile() throws Exception {
    try (var child =
        start("--trace-level=TIMESTAMPS", "--trace-config=level=TENSORS", "--trace-rate=1")) {
      assertThat(askByHttp("addsub", "h")).isEqualTo(200);
      GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request("g"));
      askByStream("s");
      assertThat(askByHttp("ens", "e")).isEqualTo(200);
      assertThat(post("/v2/models/addsub/infer", "{\"id\":\"bad\",").status()).isEqualTo(400);
      child.terminate();
      child.exitCode();
    }
    Map<Long, Traced> traces = read(file());
    assertThat(traces).hasSize(7);

    Traced http = named(traces, "h", "addsub/1");
    assertGrow(http, HANDLER.toArray(String[]::new));
    assertGrow(
        http,
        "HTTP_RECV_START",
        "HTTP_RECV_END",
        "REQUEST_START",
        "REQUEST_END",
        "HTTP_SEND_START",
        "HTTP_SEND_END");
    assertThat(http.points).containsKey("INFER_RESPONSE_COMPLETE");
    assertThat(http.parent).isZero();
    assertThat(http.tensors)
        .containsEntry(
            "TENSOR_QUEUE_INPUT INPUT0", "INT32 1,16 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15")
        .containsEntry(
            "TENSOR_BACKEND_OUTPUT OUTPUT1", "INT32 1,16 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0")
        .hasSize(4);

    for (String id : List.of("g", "s")) {
      Traced grpc = named(traces, id, "addsub/1");
      assertGrow(grpc, HANDLER.toArray(String[]::new));
      assertGrow(
          grpc,
          "GRPC_WAITREAD_START",
          "GRPC_WAITREAD_END",
          "REQUEST_START",
          "REQUEST_END",
          "GRPC_SEND_START",
          "GRPC_SEND_END");
      assertThat(grpc.tensors).hasSize(4);
    }

    Traced ensemble = named(traces, "e", "ens/1");
    assertGrow(ensemble, "HTTP_RECV_START", "REQUEST_START", "REQUEST_END", "HTTP_SEND_END");
    assertThat(ensemble.points).doesNotContainKey("COMPUTE_START");
    assertThat(ensemble.tensors)
        .containsKeys(
            "TENSOR_QUEUE_INPUT INPUT0",
            "TENSOR_QUEUE_INPUT INPUT1",
            "TENSOR_BACKEND_OUTPUT OUTPUT0");
    for (String member : List.of("addsub/1", "idi32/1")) {
      Traced below = named(traces, "e", member);
      assertThat(traces.get(below.parent)).isSameAs(ensemble);
      assertGrow(below, HANDLER.toArray(String[]::new));
      assertThat(below.points.keySet()).noneMatch(point -> point.startsWith("HTTP"));
      assertThat(below.points.get("REQUEST_START"))
          .isGreaterThanOrEqualTo(ensemble.points.get("REQUEST_START"));
    }

    Traced malformed =
        traces.values().stream().filter(trace -> trace.model.isEmpty()).findFirst().orElseThrow();
    assertThat(malformed.points)
        .containsOnlyKeys("HTTP_RECV_START", "HTTP_RECV_END", "HTTP_SEND_START", "HTTP_SEND_END");
  }

  @Test
  void settingsOfAModelMakeFilesOfTheirOwn() throws Exception {
    try (var child = start()) {
      assertThat(askByHttp("addsub", "off")).isEqualTo(200);
      Answer changed =
          post(
              "/v2/models/addsub/trace/setting",
              "{\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"1\",\"log_frequency\":\"2\"}");
      assertThat(changed.text())
          .isEqualTo(
              "{\"trace_file\":\"%s\",\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"1\","
                      .formatted(file())
                  + "\"trace_count\":\"-1\",\"log_frequency\":\"2\",\"trace_mode\":\"triton\"}");
      for (int i = 0; i < 3; i++) {
        assertThat(askByHttp("addsub", "f" + i)).isEqualTo(200);
        assertThat(askByHttp("ens", "other")).isEqualTo(200);
      }
      Answer cleared =
          post(
              "/v2/models/addsub/trace/setting",
              "{\"trace_level\":null,\"trace_rate\":null,\"log_frequency\":null}");
      assertThat(cleared.text()).contains("\"trace_level\":[\"OFF\"]", "\"log_frequency\":\"0\"");
      assertThat(askByHttp("addsub", "off again")).isEqualTo(200);
      child.terminate();
      child.exitCode();
    }
    assertThat(read(folder.resolve("trace.json.0")).values())
        .extracting(trace -> trace.requestId)
        .containsExactly("f0", "f1");
    assertThat(read(folder.resolve("trace.json.1")).values())
        .extracting(trace -> trace.requestId)
        .containsExactly("f2");
    assertThat(file()).doesNotExist();
  }
}
