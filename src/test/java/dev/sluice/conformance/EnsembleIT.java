package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ensembles of real models, each of which has one worker thread. */
class EnsembleIT {
  private static final int CALLERS = 256;
  private static final int REQUESTS = 8;
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path models;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<Integer, ManagedChannel> channels = new HashMap<>();

  @BeforeEach
  void writeModels() throws IOException {
    write("twice", "max_batch_size: 16\n", new OnnxModelWriter().node("Add", "y", "x", "x"));
    write(
        "more",
        "max_batch_size: 16\nmax_queue_delay: 1ms\n",
        new OnnxModelWriter().initializer("one", 1).node("Add", "y", "x", "one"));
    write(
        "sum",
        "max_batch_size: 16\n",
        new OnnxModelWriter()
            .input("z", OnnxModelWriter.FLOAT, "rows", "2")
            .node("Add", "y", "x", "z"));
    settings(
        "chain",
        """
        max_batch_size: 16
        ensemble:
          steps:
            - { model: more, inputs: { x: x }, outputs: { y: between } }
            - { model: twice, inputs: { x: between }, outputs: { y: y } }
        """);
    settings(
        "diamond",
        """
        max_batch_size: 16
        ensemble:
          outputs: [y, left]
          steps:
            - { model: sum, version: 1, inputs: { x: left, z: right }, outputs: { y: y } }
            - { model: more, inputs: { x: x }, outputs: { y: left } }
            - { model: twice, inputs: { x: x }, outputs: { y: right } }
        """);
    settings(
        "nested",
        """
        max_batch_size: 8
        ensemble:
          steps:
            - { model: diamond, inputs: { x: x }, outputs: { y: between } }
            - { model: chain, inputs: { x: between }, outputs: { y: y } }
        """);
    Files.createDirectories(models.resolve("nested/1"));
  }

  private void write(String name, String settings, OnnxModelWriter model) throws IOException {
    settings(name, settings);
    model
        .input("x", OnnxModelWriter.FLOAT, "rows", "2")
        .output("y", OnnxModelWriter.FLOAT, "rows", "2")
        .writeTo(Files.createDirectories(models.resolve(name).resolve("1")));
  }

  private void settings(String name, String settings) throws IOException {
    Files.writeString(Files.createDirectories(models.resolve(name)).resolve("model.yml"), settings);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    http.close();
    channels.values().forEach(ManagedChannel::shutdownNow);
  }

  @Test
  void everyAnswerIsRightUnderManyCallers() throws Exception {
    try (var server = RunningServer.start(models);
        var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(server.control().ready()).isTrue();
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int x = i;
        calls.add(callers.submit(() -> ask(server, x)));
      }
      for (Future<?> call : calls) {
        call.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a caller got a wrong answer", e.getCause());
    }
  }

  private Void ask(RunningServer server, int x) throws Exception {
    for (int i = 0; i < REQUESTS; i++) {
      float sum = x + 1 + x + x;
      switch (i % 3) {
        case 0 -> assertThat(first(server, "chain", x)).isEqualTo((x + 1) * 2);
        case 1 -> assertThat(first(server, "diamond", x)).isEqualTo(sum);
        default -> assertThat(first(server, "nested", x)).isEqualTo((sum + 1) * 2);
      }
    }
    return null;
  }

  /** By HTTP and by gRPC in turns. */
  private float first(RunningServer server, String model, int x) throws Exception {
    return asked.incrementAndGet() % 2 == 0
        ? firstOverGrpc(server, model, x)
        : firstOverHttp(server, model, x);
  }

  private float firstOverGrpc(RunningServer server, String model, int x) {
    var request =
        ModelInferRequest.newBuilder()
            .setModelName(model)
            .addInputs(
                ModelInferRequest.InferInputTensor.newBuilder()
                    .setName("x")
                    .setDatatype("FP32")
                    .addShape(1)
                    .addShape(2)
                    .setContents(
                        InferTensorContents.newBuilder().addFp32Contents(x).addFp32Contents(x)))
            .build();
    var answer = GRPCInferenceServiceGrpc.newBlockingStub(channel(server)).modelInfer(request);
    var data = answer.getRawOutputContents(0).asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    assertThat(data.getFloat(0)).isEqualTo(data.getFloat(4));
    return data.getFloat(0);
  }

  private synchronized ManagedChannel channel(RunningServer server) {
    return channels.computeIfAbsent(
        server.port(),
        port -> ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build());
  }

  private float firstOverHttp(RunningServer server, String model, int x) throws Exception {
    HttpResponse<String> answer = infer(server, model, "[1,2]", x + "," + x);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode data = JSON.readTree(answer.body()).at("/outputs/0/data");
    assertThat(data.get(0)).isEqualTo(data.get(1));
    return data.get(0).floatValue();
  }

  private HttpResponse<String> infer(RunningServer server, String model, String shape, String data)
      throws IOException, InterruptedException {
    return post(
        server,
        "/v2/models/" + model + "/infer",
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":%s,\"data\":[%s]}]}"
            .formatted(shape, data));
  }

  private HttpResponse<String> post(RunningServer server, String path, String body)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + path)).POST(BodyPublishers.ofString(body));
    return http.send(request.build(), BodyHandlers.ofString());
  }

  private String get(RunningServer server, String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(server.url() + path));
    return http.send(request.build(), BodyHandlers.ofString()).body();
  }

  @Test
  void anEnsembleIsAModelLikeAnyOther() throws Exception {
    try (var server = RunningServer.start(models)) {
      assertThat(get(server, "/v2/models/diamond"))
          .isEqualTo(
              "{\"name\":\"diamond\",\"versions\":[\"1\"],\"platform\":\"ensemble\",\"inputs\":["
                  + "{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[-1,2]}],\"outputs\":["
                  + "{\"name\":\"y\",\"datatype\":\"FP32\",\"shape\":[-1,2]},"
                  + "{\"name\":\"left\",\"datatype\":\"FP32\",\"shape\":[-1,2]}]}");
      assertThat(post(server, "/v1/models/chain:predict", "{\"instances\":[[1,2],[3,4]]}").body())
          .isEqualTo("{\"predictions\":[[4.0,6.0],[8.0,10.0]]}");
      assertThat(infer(server, "chain", "[1,3]", "1,2,3").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void anEnsembleWhoseMemberIsMissingSaysSo() throws Exception {
    settings(
        "lost", "ensemble: { steps: [{ model: nobody, inputs: { x: x }, outputs: { y: y } }] }\n");
    settings(
        "around",
        "ensemble: { steps: [{ model: around, inputs: { x: x }, outputs: { y: y } }] }\n");
    try (var server = RunningServer.start(models)) {
      assertThat(error(server, "lost"))
          .isEqualTo("ensemble 'lost' depends on 'nobody': there is no such model");
      assertThat(error(server, "around"))
          .isEqualTo("ensemble 'around' contains itself: around -> around");
      assertThat(server.control().ready()).isFalse();
      assertThat(first(server, "chain", 3)).isEqualTo(8);
    }
  }

  private static String error(RunningServer server, String model) {
    return server
        .control()
        .versions(model)
        .orElseThrow()
        .getFirst()
        .error()
        .orElseThrow()
        .message();
  }

  @Test
  void anEnsembleFollowsItsMembers() throws Exception {
    try (var server = RunningServer.start(watching())) {
      assertThat(first(server, "nested", 1)).isEqualTo(10);
      Files.move(models.resolve("twice"), models.resolve(".twice"));
      await(server, "nested", status -> status.error().isPresent());
      assertThat(error(server, "nested")).startsWith("ensemble 'nested' depends on 'diamond'");
      assertThat(infer(server, "nested", "[1,2]", "1,1").statusCode()).isIn(404, 503);
      Files.move(models.resolve(".twice"), models.resolve("twice"));
      await(server, "nested", status -> status.state() == VersionState.AVAILABLE);
      assertThat(first(server, "nested", 1)).isEqualTo(10);
    }
  }

  @Test
  void keptAnswersOfAnEnsembleEndWithTheVersionOfAMember() throws Exception {
    settings(
        "kept",
        """
        max_batch_size: 16
        response_cache: true
        ensemble:
          steps:
            - { model: chain, inputs: { x: x }, outputs: { y: y } }
        """);
    try (var server = RunningServer.start(watching())) {
      assertThat(first(server, "kept", 3)).isEqualTo(8);
      assertThat(first(server, "kept", 3)).isEqualTo(8);
      assertThat(get(server, "/v2/models/kept/stats")).contains("\"cache_hit\":{\"count\":1,");
      write(".next", "", new OnnxModelWriter().node("Sub", "y", "x", "x"));
      Files.move(models.resolve(".next/1"), models.resolve("twice/2"));
      await(server, "twice", status -> status.version() == 2 && isAvailable(status));
      assertThat(first(server, "kept", 3)).isEqualTo(0);
    }
  }

  private static boolean isAvailable(VersionStatus status) {
    return status.state() == VersionState.AVAILABLE;
  }

  /** Looks at its folders all the time. */
  private SluiceConfig watching() {
    var repository =
        RepositoryConfig.of(new DesiredModels(models, Map.of()), Duration.ofMillis(20));
    return RunningServer.settings(RunningServer.LISTENER, repository);
  }

  private static void await(
      RunningServer server, String model, Predicate<VersionStatus> condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (server.control().versions(model).orElse(List.of()).stream().noneMatch(condition)) {
      assertThat(System.nanoTime()).as(model + " is not as it should be").isLessThan(end);
      Thread.onSpinWait();
    }
  }
}
