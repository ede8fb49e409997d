package dev.sluice.conformance;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.IsolatedModels;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Isolated models beside the same ones in the server's process, and what the deaths of processes
 * cost.
 */
@Timeout(300)
class ModelProcessIT {
  private static final String ISOLATED = "isolation: process\n";
  private static final String HALVES = "{\"instances\":[1.0,2.0,5.0]}";

  private static final int RELOADS = 20;
  private static final String PROMPT = "{\"ids\":[3,8,13]}";

  @TempDir private static Path models;
  private static long mappedBefore;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws IOException {
    for (String name : new String[] {"half", "half_isolated", "victim"}) {
      TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve(name).resolve("1"));
    }
    for (String name : new String[] {"sum", "sum_isolated", "sum_reloaded"}) {
      TestModels.copy(TestModels.sample("addsub", "1"), models.resolve(name).resolve("1"));
    }
    settings("half_isolated", ISOLATED);
    settings("victim", ISOLATED);
    settings("sum_isolated", ISOLATED + "inline_limit: 1ms\n");
    settings("sum_reloaded", ISOLATED);
    for (String name : new String[] {"hangs", "late", "dies"}) {
      LoopModel.write(models, name);
    }
    settings("hangs", ISOLATED + "breaker: { hang: 300ms }\n");
    settings("late", ISOLATED + "isolation_kill_after: 100ms\n");
    settings("dies", ISOLATED + "instances: 2\n");
    StepModels.decoder(models, "decoder", "");
    Path stream = StepModels.decoder(models, "decoder_isolated", "");
    Path file = stream.resolve("model.yml");
    Files.writeString(file, ISOLATED + Files.readString(file));
    mappedBefore = IsolatedModels.mappings();
    server = RunningServer.start(models);
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    threads = Executors.newCachedThreadPool();
  }

  private static void settings(String model, String text) throws IOException {
    Files.writeString(models.resolve(model).resolve("model.yml"), text);
  }

  @AfterAll
  static void nothingIsLeft() {
    channel.shutdownNow();
    threads.shutdown();
    caller.close();
    server.close();
    assertThat(IsolatedModels.mappings()).isEqualTo(mappedBefore);
    assertThat(IsolatedModels.of(ProcessHandle.current())).isEmpty();
    assertThat(IsolatedModels.files(ProcessHandle.current().pid())).isEmpty();
  }

  private static Answer loop(String model, long steps) {
    return caller.post(
        "/v2/models/" + model + "/infer",
        "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[],\"data\":["
            + steps
            + "]}]}");
  }

  private static String metrics() {
    return caller.send("GET", "/metrics", Buffer.buffer()).text();
  }

  private static long metric(String name, String model) {
    Matcher line =
        Pattern.compile(name + "\\{model=\"" + model + "\",version=\"1\"} ([0-9.E]+)\n")
            .matcher(metrics());
    assertThat(line.find()).as(name + " of " + model).isTrue();
    return (long) Double.parseDouble(line.group(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          half | /v1/models/M:predict | {"instances":[1.0,2.0,-7.25]}
          half | /v1/models/M:predict | {"signature_name":"regress_x_to_y","inputs":{"x":[1]}}
          half | /v2/models/M/infer | {"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,0.1]}]}
          half | /grps/v1/infer/predict | {"model":"M","gtensors":{"tensors":[{"name":"x","dtype":"DT_FLOAT32","shape":[2],"flat_float32":[1,3.5]}]}}
          half | /v1/models/M:predict | {"instances":["x"]}
          half | /v2/models/M/infer | {"inputs":[{"name":"x","datatype":"FP64","shape":[2],"data":[1,0.1]}]}
          sum | /v2/models/M/infer | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,16],"data":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]},{"name":"INPUT1","datatype":"INT32","shape":[1,16],"data":[9,8,7,6,5,4,3,2,1,0,-1,-2,-3,-4,-5,2147483647]}]}
          sum | /v2/models/M/infer | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[3],"data":[1,2,3]}]}
          """)
  void httpAnswersAreTheSame(String model, String path, String body) {
    Answer here = caller.post(path.replace("M", model), body.replace("\"M\"", "\"" + model + "\""));
    String isolated = model + "_isolated";
    Answer there =
        caller.post(path.replace("M", isolated), body.replace("\"M\"", "\"" + isolated + "\""));
    assertThat(there.status()).isEqualTo(here.status());
    assertThat(there.text().replace(isolated, model)).isEqualTo(here.text());
  }

  private static ByteString floats(float... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      bytes.putFloat(value);
    }
    return ByteString.copyFrom(bytes.flip());
  }

  @Test
  void openInferenceAnswersOverGrpcAreTheSame() throws IOException {
    assertThat(oip("half_isolated").getRawOutputContentsList())
        .isEqualTo(oip("half").getRawOutputContentsList());
  }

  private static ModelInferResponse oip(String model) throws IOException {
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request.addInputsBuilder().setName("x").setDatatype("FP32").addShape(100_000);
    request.addRawInputContents(floats(new float[100_000]));
    byte[] answer =
        RawCalls.send(
            channel, "inference.GRPCInferenceService/ModelInfer", request.build().toByteArray());
    return ModelInferResponse.parseFrom(answer);
  }

  @Test
  void tensorflowAnswersOverGrpcAreTheSame() throws IOException {
    assertThat(tfs("half_isolated").getOutputsMap()).isEqualTo(tfs("half").getOutputsMap());
  }

  private static PredictResponse tfs(String model) throws IOException {
    var tensor =
        TensorProto.newBuilder()
            .setDtype(DataType.DT_FLOAT)
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(3)))
            .setTensorContent(floats(1, 2, 5));
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName(model))
            .putInputs("x", tensor.build());
    byte[] answer =
        RawCalls.send(
            channel, "tensorflow.serving.PredictionService/Predict", request.build().toByteArray());
    return PredictResponse.parseFrom(answer);
  }

  @Test
  void grpsAnswersOverGrpcAndBrpcAreTheSame() throws IOException {
    for (String method : new String[] {"GrpsService", "GrpsBrpcService"}) {
      assertThat(grps(method, "half_isolated").getGtensors())
          .isEqualTo(grps(method, "half").getGtensors());
    }
  }

  private static GrpsMessage grps(String service, String model) throws IOException {
    var tensor =
        GenericTensor.newBuilder()
            .setName("x")
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addShape(2)
            .addFlatFloat32(1)
            .addFlatFloat32(0.3f);
    byte[] request =
        GrpsMessage.newBuilder()
            .setModel(model)
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
            .build()
            .toByteArray();
    if (service.equals("GrpsService")) {
      return GrpsMessage.parseFrom(
          RawCalls.send(channel, "grps.protos.v1.GrpsService/Predict", request));
    }
    try (var brpc = new BrpcClient(server.port())) {
      var call = new BrpcClient.Call("grps.protos.v1." + service, "Predict", 1);
      return GrpsMessage.parseFrom(brpc.ask(call, request).message());
    }
  }

  /** The processes that run a model at the moment. */
  private static List<ProcessHandle> processes(String model) {
    return Pattern.compile(
            "process_resident_bytes\\{model=\"" + model + "\",pid=\"(\\d+)\",version=\"1\"} \\d")
        .matcher(metrics())
        .results()
        .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(1))).stream())
        .toList();
  }

  private static ProcessHandle process(String model) {
    List<ProcessHandle> processes = processes(model);
    while (processes.isEmpty()) {
      processes = processes(model);
    }
    return processes.getFirst();
  }

  private static boolean isReady(String model) {
    return caller.send("GET", "/v2/models/" + model + "/ready", Buffer.buffer()).status() == 200;
  }

  /** Asks until a model that is being started again has answered. */
  private static void awaitRecovery(String model, Supplier<Answer> question) {
    Answer answer = question.get();
    while (answer.status() == 503) {
      assertRetryable(answer, model);
      answer = question.get();
    }
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(isReady(model)).isTrue();
    assertThat(metric("sluice_model_breaker_state", model)).isZero();
  }

  private static void assertRetryable(Answer answer, String model) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(503);
    assertThat(answer.headers().get("Retry-After")).isNotNull();
    assertThat(answer.text()).contains("model '" + model + "/1'").contains("process");
  }

  /** A client that asks one model again and again. */
  private static Future<List<Answer>> ask(String model, AtomicBoolean over, AtomicLong good) {
    return threads.submit(() -> {
      List<Answer> failures = new ArrayList<>();
      while (!over.get()) {
        Answer answer = caller.post("/v1/models/" + model + ":predict", HALVES);
        if (answer.status() == 200 && answer.text().contains("[2.5,3.0,4.5]")) {
          good.incrementAndGet();
        } else {
          failures.add(answer);
        }
      }
      return failures;
    });
  }

  private static void awaitMore(AtomicLong counter) {
    long next = counter.get() + 20;
    while (counter.get() < next) {
      Thread.onSpinWait();
    }
  }

  @Test
  void processKilledUnderLoadCostsItsRequestsARetryableErrorAndOtherModelsNothing()
      throws Exception {
    var over = new AtomicBoolean();
    var others = new AtomicLong();
    var own = new AtomicLong();
    List<Future<List<Answer>>> neighbours =
        List.of(ask("half", over, others), ask("half_isolated", over, others));
    List<Future<List<Answer>>> victims =
        List.of(ask("victim", over, own), ask("victim", over, own), ask("victim", over, own));
    long restarts = metric("sluice_model_session_restarts_total", "victim");
    for (int i = 0; i < 3; i++) {
      awaitMore(own);
      IsolatedModels.signal(process("victim"), "KILL");
      awaitMore(others);
    }
    awaitMore(own);
    over.set(true);
    for (Future<List<Answer>> neighbour : neighbours) {
      assertThat(neighbour.get()).isEmpty();
    }
    for (Future<List<Answer>> victim : victims) {
      victim.get().forEach(failure -> assertRetryable(failure, "victim"));
    }
    assertThat(metric("sluice_model_session_restarts_total", "victim")).isEqualTo(restarts + 3);
    assertThat(isReady("victim")).isTrue();
    assertThat(processes("victim")).hasSize(1);
  }

  private static CompletableFuture<Answer> begin(String model) {
    CompletableFuture<Answer> answer =
        CompletableFuture.supplyAsync(() -> loop(model, Long.MAX_VALUE), threads);
    while (metrics().contains("longest_run_seconds{model=\"" + model + "\",version=\"1\"} 0.0\n")
        && !answer.isDone()) {
      Thread.onSpinWait();
    }
    return answer;
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /**
   * Returns the process of "dies" that uses no processor time while the other uses much: one that
   * still starts uses some.
   */
  private static ProcessHandle idle() {
    while (true) {
      Map<ProcessHandle, Duration> before =
          processes("dies").stream().collect(toMap(identity(), ModelProcessIT::cpu));
      Function<ProcessHandle, Duration> used = process -> cpu(process).minus(before.get(process));
      while (before.keySet().stream().map(used).allMatch(time -> time.toMillis() < 400)) {
        Thread.onSpinWait();
      }
      Optional<ProcessHandle> idle =
          before.keySet().stream().filter(each -> used.apply(each).toMillis() < 40).findAny();
      if (idle.isPresent()) {
        return idle.get();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ABRT", "SEGV", "BUS"})
  void crashOfOneOfTwoProcessesLeavesTheOther(String signal) {
    while (processes("dies").size() < 2) {
      Thread.onSpinWait();
    }
    CompletableFuture<Answer> running = begin("dies");
    ProcessHandle idle = idle();
    assertThat(loop("dies", 3).text()).contains("\"data\":[3]");
    IsolatedModels.signal(idle, signal);
    while (processes("dies").size() < 2 || processes("dies").contains(idle)) {
      Thread.onSpinWait();
    }
    assertThat(loop("dies", 2).status()).isIn(200, 503);
    assertThat(running).isNotDone();
    processes("dies").forEach(each -> IsolatedModels.signal(each, signal));
    assertRetryable(running.join(), "dies");
    awaitRecovery("dies", () -> loop("dies", 1));
  }

  @Test
  void runThatHangsIsEndedWithItsProcessAndTheModelRecovers() {
    Answer hung = loop("hangs", Long.MAX_VALUE);
    assertRetryable(hung, "hangs");
    assertThat(hung.text()).contains("a run had taken");
    awaitRecovery("hangs", () -> loop("hangs", 5));
  }

  @Test
  void abandonedRunIsEndedWithItsProcess() {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Content-Type", "application/json")
            .add("X-Request-Timeout", "0.3");
    Answer late =
        caller.send(
            "POST",
            "/v2/models/late/infer",
            headers,
            Buffer.buffer(
                "{\"parameters\":{\"timeout\":300000},\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\","
                    + "\"shape\":[],\"data\":["
                    + Long.MAX_VALUE
                    + "]}]}"));
    assertThat(late.status()).as(late.text()).isIn(503, 504);
    awaitRecovery("late", () -> loop("late", 5));
  }

  @Test
  void processThatDiesBetweenRequestsIsStartedAgainByItself() {
    ProcessHandle before = process("half_isolated");
    IsolatedModels.signal(before, "KILL");
    while (process("half_isolated").pid() == before.pid() || !isReady("half_isolated")) {
      Thread.onSpinWait();
    }
    awaitRecovery("half_isolated", () -> caller.post("/v1/models/half_isolated:predict", HALVES));
  }

  @Test
  void streamsAreTheSameAndOneWhoseProcessDiesEndsWithTheReason() throws Exception {
    Answer here = caller.post("/v2/models/decoder/generate_stream", PROMPT);
    Answer there = caller.post("/v2/models/decoder_isolated/generate_stream", PROMPT);
    assertThat(there.status()).as(there.text()).isEqualTo(200);
    assertThat(there.text().replace("decoder_isolated", "decoder")).isEqualTo(here.text());
    var over = new AtomicBoolean();
    var whole = new AtomicLong();
    Future<List<Answer>> streams =
        threads.submit(() -> {
          List<Answer> broken = new ArrayList<>();
          while (!over.get()) {
            Answer answer = caller.post("/v2/models/decoder_isolated/generate_stream", PROMPT);
            if (answer.text().equals(there.text())) {
              whole.incrementAndGet();
            } else {
              broken.add(answer);
            }
          }
          return broken;
        });
    for (int i = 0; i < 3; i++) {
      awaitMore(whole);
      IsolatedModels.signal(process("decoder_isolated"), "KILL");
    }
    awaitMore(whole);
    over.set(true);
    assertThat(streams.get())
        .isNotEmpty()
        .allSatisfy(answer ->
            assertThat(answer.text())
                .contains("error")
                .contains("model 'decoder_isolated/1'")
                .contains("its process ended with signal 9 (SIGKILL)"));
  }

  @Test
  void modelThatIsReloadedAgainAndAgainLeavesNothing() throws IOException {
    long mapped = IsolatedModels.mappings();
    for (int i = 1; i <= RELOADS; i++) {
      ProcessHandle before = process("sum_reloaded");
      settings("sum_reloaded", ISOLATED + "max_queued_requests: " + i + "\n");
      // A file is read when it has not changed between two looks.
      while (before.isAlive()) {
        server.reload();
        server.awaitReconciled();
      }
      assertThat(process("sum_reloaded").isAlive()).isTrue();
      assertThat(processes("sum_reloaded")).hasSize(1);
    }
    assertThat(IsolatedModels.mappings()).isLessThanOrEqualTo(mapped + 4);
    assertThat(IsolatedModels.files(ProcessHandle.current().pid())).isEmpty();
  }

  @Test
  void processIgnoresSignalsThatTellTheServerToDrain() {
    ProcessHandle process = process("sum_isolated");
    for (String signal : new String[] {"INT", "TERM", "HUP"}) {
      IsolatedModels.signal(process, signal);
    }
    assertThat(process("sum_isolated").pid()).isEqualTo(process.pid());
    assertThat(process.isAlive()).isTrue();
  }
}
