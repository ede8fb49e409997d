package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.CutConnections;
import dev.sluice.testing.HistogramValues;
import dev.sluice.testing.HostileInputs;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with the memory of a container of 512 MiB under requests of all protocols, bad input,
 * clients that vanish, and models that are loaded again and again: what it holds does not grow.
 * Beside it is one that nobody asks: how late its event loops are is the machine's doing. For
 * longer, as {@code src/docs/operate/soak.md} says: {@code -Dsluice.soak.seconds=3600}.
 */
class SoakIT {
  private static final int SECONDS = Integer.getInteger("sluice.soak.seconds", 10);

  /** Between two requests of one client. */
  private static final Duration REST = Duration.ofMillis(Long.getLong("sluice.soak.rest", 1));

  /** Of the whole time, at whose ends it looks. */
  private static final int SAMPLES = 12;

  /** After this long under requests, the server has started: its code is loaded and compiled. */
  private static final Duration START_UP =
      Duration.ofMillis(Math.min(10_000, 1_000L * SECONDS / SAMPLES));

  /** Bodies, by the paths that they are sent to. */
  private static final Map<String, String> REQUESTS =
      Map.of(
          "/v2/models/twice/infer",
          "{\"inputs\":[{\"name\":\"x\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}",
          "/v1/models/twice:predict",
          "{\"instances\":[[1,2],[3,4]]}",
          "/grps/v1/infer/predict",
          "{\"model\":\"twice\",\"gtensors\":{\"tensors\":[{\"name\":\"x\",\"dtype\":\"DT_FLOAT32\",\"shape\":[1,2],\"flat_float32\":[1,2]}]}}",
          "/v2/models/chat/generate_stream",
          "{\"text\":\"What is the capital of France?\",\"temperature\":0}");

  @TempDir private Path models;
  @TempDir private Path empty;

  private final AtomicLong requests = new AtomicLong();
  private final AtomicInteger reloads = new AtomicInteger();

  private volatile boolean over;

  /** What the process holds at one time. */
  private record Sample(
      long second, double resident, double heap, double other, double fds, double threads) {
    static Sample of(long second, String page) {
      var metrics = new PrometheusPage(page);
      return new Sample(
          second,
          metrics.sum("process_resident_memory_bytes") / (1 << 20),
          metrics.sum("jvm_memory_committed_bytes", "area", "heap") / (1 << 20),
          metrics.sum("jvm_memory_used_bytes", "area", "nonheap") / (1 << 20),
          metrics.sum("process_open_fds"),
          metrics.sum("jvm_threads_live_threads"));
    }
  }

  @Test
  void whatTheServerHoldsDoesNotGrow() throws Exception {
    writeTwice("twice", 1);
    TestModels.copy(TestModels.slow(), models.resolve("slow/1"));
    TestModels.copy(TestModels.sample("chat", ""), models.resolve("chat"));
    int port = ChildServer.freePort();
    int idlePort = ChildServer.freePort();
    try (var server = ChildServer.small(models, port, "--set", "models.poll_interval=100ms");
        var _ = ChildServer.small(empty, idlePort);
        var client = new HttpCaller(port)) {
      server.awaitModel("twice/1");
      server.awaitModel("chat/1");
      Sample before = sample(port, System.nanoTime());
      List<Sample> samples = run(port, client, idlePort);
      samples.forEach(System.out::println);
      System.out.printf("%d requests, %d reloads%n", requests.get(), reloads.get());
      Sample first = samples.get(SAMPLES / 3);
      Sample last = samples.getLast();
      awaitFds(port, before.fds() + 16);
      assertThat(last.threads()).isLessThan(first.threads() + 10);
      assertThat(last.resident()).isLessThan(first.resident() + 96).isLessThan(512);
      // Whose files go while they are read cannot be loaded, which is an error of whoever took
      // them.
      assertThat(server.output())
          .noneMatch(line -> line.contains(" ERROR ") && !line.endsWith("model=other/1"));
      server.terminate();
      assertThat(server.exitCode()).isZero();
    }
  }

  /** Prints how late event loops were since the server had started. */
  private static void printLags(String server, HistogramValues lags) {
    System.out.printf(
        "event-loop lag of the %s server after the first %.1f s, %d timers: p50 %.2f ms, p99 %.2f"
            + " ms, p99.9 %.2f ms, none above %.0f ms%n",
        server,
        START_UP.toMillis() / 1e3,
        lags.count(),
        1e3 * lags.quantile(0.5),
        1e3 * lags.quantile(0.99),
        1e3 * lags.quantile(0.999),
        1e3 * lags.most());
  }

  private static HistogramValues lags(int port) {
    return HistogramValues.of(new PrometheusPage(page(port)), "sluice_event_loop_lag_seconds");
  }

  private static Sample sample(int port, long begin) {
    return Sample.of(Duration.ofNanos(System.nanoTime() - begin).toSeconds(), page(port));
  }

  private static String page(int port) {
    try (var client = new HttpCaller(port)) {
      return client.send("GET", "/metrics", Buffer.buffer()).text();
    }
  }

  /** Connections of clients that have left are closed one after the other. */
  private static void awaitFds(int port, double most) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (sample(port, end).fds() > most) {
      assertThat(System.nanoTime()).as("more than %s descriptors are open", most).isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
    }
  }

  private List<Sample> run(int port, HttpCaller client, int idlePort) throws Exception {
    List<Sample> samples = new ArrayList<>();
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var hostile = new HostileInputs(1, port, infer("slow", "INPUT0", 4));
      var cut = new CutConnections(2, port);
      List<Future<?>> running =
          List.of(
              clients.submit(whileNotOver(() -> json(client))),
              clients.submit(whileNotOver(() -> scrape(client))),
              clients.submit(
                  whileNotOver(() ->
                      RawCalls.send(
                          channel,
                          "inference.GRPCInferenceService/ModelInfer",
                          infer("twice", "x", 2)))),
              clients.submit(
                  whileNotOver(() ->
                      RawCalls.send(
                          channel, "tensorflow.serving.PredictionService/Predict", predict()))),
              clients.submit(
                  whileNotOver(
                      () -> RawCalls.send(channel, "grps.protos.v1.GrpsService/Predict", grps()))),
              clients.submit(whileNotOver(() -> brpc(port))),
              clients.submit(whileNotOver(() -> openAi(client, false))),
              clients.submit(whileNotOver(() -> openAi(client, true))),
              clients.submit(whileNotOver(hostile::next)),
              clients.submit(whileNotOver(cut::next)),
              clients.submit(whileNotOver(this::reload)));
      long begin = System.nanoTime();
      LockSupport.parkNanos(START_UP.toNanos());
      HistogramValues started = lags(port);
      HistogramValues idleStarted = lags(idlePort);
      for (int i = 1; i <= SAMPLES; i++) {
        long due = begin + Duration.ofSeconds(SECONDS).toNanos() * i / SAMPLES;
        LockSupport.parkNanos(due - System.nanoTime());
        samples.add(sample(port, begin));
      }
      printLags("busy", lags(port).since(started));
      printLags("idle", lags(idlePort).since(idleStarted));
      over = true;
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      over = true;
      channel.shutdownNow();
    }
    return samples;
  }

  /** One thing again and again, with a little rest. */
  private Callable<Void> whileNotOver(Step step) {
    return () -> {
      while (!over) {
        step.take();
        requests.incrementAndGet();
        LockSupport.parkNanos(REST.toNanos());
      }
      return null;
    };
  }

  /** What a client does. */
  @FunctionalInterface
  private interface Step {
    void take() throws IOException;
  }

  private static void json(HttpCaller client) {
    var headers = MultiMap.caseInsensitiveMultiMap().set("Content-Type", "application/json");
    REQUESTS.forEach((path, body) -> {
      var answer = client.send("POST", path, headers, Buffer.buffer(body));
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    });
  }

  /** Reads the page of metrics, as Prometheus does. */
  private static void scrape(HttpCaller client) {
    var answer = client.send("GET", "/metrics", Buffer.buffer());
    assertThat(answer.status()).isEqualTo(200);
    LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
  }

  private static void openAi(HttpCaller client, boolean stream) {
    String request =
        "{\"model\":\"chat\",\"prompt\":\"What is the capital of France?\",\"temperature\":0,\"stream\":%s}"
            .formatted(stream);
    var answer = client.send("POST", "/v1/completions", Buffer.buffer(request));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text())
        .contains(
            "\"finish_reason\":\"stop\"", stream ? "data: [DONE]" : "capital of France is Paris.");
  }

  private static void brpc(int port) throws IOException {
    try (var client = new BrpcClient(port)) {
      var call = new BrpcClient.Call("grps.protos.v1.GrpsBrpcService", "Predict", 1);
      var answer = client.ask(call.saying(Map.of("x-server-timing", "1")), grps());
      assertThat(GrpsMessage.parseFrom(answer.message()).getGtensors().getTensorsList()).hasSize(1);
      assertThat(answer.userFields()).containsKey("server-timing");
    }
  }

  private static byte[] grps() {
    var x =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addAllShape(List.of(1, 2))
            .addAllFlatFloat32(List.of(1f, 2f));
    return GrpsMessage.newBuilder()
        .setModel("twice")
        .setGtensors(GenericTensorData.newBuilder().addTensors(x))
        .build()
        .toByteArray();
  }

  private static byte[] predict() {
    var dim = TensorShapeProto.Dim.newBuilder();
    var x =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(dim.setSize(1)).addDim(dim.setSize(2)))
            .addAllFloatVal(List.of(1f, 2f))
            .build();
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("twice"))
        .putInputs("x", x)
        .build()
        .toByteArray();
  }

  /** Another model comes, or goes: its sessions, metrics and classes with it. */
  private void reload() throws IOException {
    Path other = models.resolve("other");
    if (Files.exists(other)) {
      Files.delete(other.resolve("1/model.onnx"));
      Files.delete(other.resolve("1"));
      Files.delete(other);
    } else {
      writeTwice("other", 1);
      reloads.incrementAndGet();
    }
    LockSupport.parkNanos(Duration.ofMillis(400).toNanos());
  }

  private void writeTwice(String name, int version) throws IOException {
    OnnxModelWriter.twice()
        .writeTo(Files.createDirectories(models.resolve(name).resolve(Integer.toString(version))));
  }

  private static byte[] infer(String model, String input, int columns) {
    var contents = InferTensorContents.newBuilder();
    for (int i = 0; i < columns; i++) {
      contents.addFp32Contents(i);
    }
    return ModelInferRequest.newBuilder()
        .setModelName(model)
        .addInputs(
            ModelInferRequest.InferInputTensor.newBuilder()
                .setName(input)
                .setDatatype("FP32")
                .addShape(1)
                .addShape(columns)
                .setContents(contents))
        .build()
        .toByteArray();
  }
}
