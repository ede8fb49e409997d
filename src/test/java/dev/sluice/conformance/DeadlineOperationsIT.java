package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.sluice.config.SluiceConfigReader;
import dev.sluice.config.binding.SettingOverride;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ServerLiveRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.Example;
import dev.sluice.protocol.tfs.grpc.proto.ExampleList;
import dev.sluice.protocol.tfs.grpc.proto.Feature;
import dev.sluice.protocol.tfs.grpc.proto.Features;
import dev.sluice.protocol.tfs.grpc.proto.FloatList;
import dev.sluice.protocol.tfs.grpc.proto.Input;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.LoopTurns;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.PrometheusPage;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.TestModels;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every operation that runs a model, with a run that takes much longer than its caller waits, and
 * every way to say how long that is. Runs of ONNX Runtime and a plugin would take minutes, those of
 * TensorFlow some seconds: nothing ends these, and each has a model of its own.
 */
@Timeout(120)
class DeadlineOperationsIT {
  private static final Duration LONG = Duration.ofSeconds(2);
  private static final long TIMEOUT_MILLIS = 300;
  private static final String ROW = "[1.0, 2.0]";
  private static final String LATE = "Request timeout expired";

  /** How often the models of TensorFlow run here, one after the other in the tests below. */
  private static final int LOOPS = 8;

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller caller;
  private static ManagedChannel channel;
  private static int loops;
  private static long steps;

  @BeforeAll
  static void open() throws IOException {
    slow("slow", "warmup: false\nexplain: { method: shapley }\n");
    slow("sequence", "warmup: false\nsequence: { max_idle: 1m }\n");
    slow(
        "generator",
        "warmup: false\nstream: { feedback: { OUTPUT0: INPUT0 }, stop: { steps: 3 } }\n");
    TestModels.ensemble(
        models, "ensemble", "{ model: slow, inputs: { INPUT0: x }, outputs: { OUTPUT0: y } }");
    TestModels.ensemble(
        models,
        "classifier",
        "{ model: slow, inputs: { INPUT0: x }, outputs: { OUTPUT0: scores } }");
    for (int i = 0; i < LOOPS; i++) {
      LoopModel.write(models, "loop" + i);
      Files.writeString(models.resolve("loop" + i + "/model.yml"), loopSettings(i));
    }
    new PluginJar()
        .source("Sleeper", SLEEPER)
        .service("Model", "Sleeper")
        .service("StreamingModel", "Sleeper")
        .into(models.resolve("sleeper/1"));
    LoopModel.writeRow(models, "measured");
    server = RunningServer.start(config());
    try (var measuring = new StepsCaller(server.port(), server.port())) {
      steps = LoopTurns.lasting(LONG, measuring, "measured");
    }
    caller = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    // To connect takes time, too.
    var _ =
        GRPCInferenceServiceGrpc.newBlockingStub(channel)
            .serverLive(ServerLiveRequest.getDefaultInstance());
  }

  private static final String SLEEPER =
      """
      import dev.sluice.extension.*;
      import dev.sluice.tensor.*;
      import java.util.List;

      public class Sleeper implements Model, StreamingModel {
        @Override
        public ModelSignature signature() {
          return ModelSignature.of(
              List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY, 2))),
              List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY, 2))));
        }

        @Override
        public Answer run(Request request) throws Exception {
          Thread.sleep(600_000);
          return Answer.of();
        }

        @Override
        public void run(Request request, Emitter emitter) throws Exception {
          Thread.sleep(600_000);
        }
      }
      """;

  /** Models of loops that are asked in sequences, and as step functions. */
  private static String loopSettings(int number) {
    return switch (number) {
      case 0 -> "sequence: { max_idle: 1m }\n";
      case 1 -> "stream: { feedback: { done: steps }, stop: { steps: 3 } }\n";
      default -> "max_batch_size: 0\n";
    };
  }

  /** The model whose runs take a third of a second, made to take half a minute. */
  private static void slow(String name, String settings) throws IOException {
    TestModels.writeSlow(models.resolve(name).resolve("1"), 100);
    Files.writeString(models.resolve(name).resolve("model.yml"), settings);
  }

  private static dev.sluice.config.SluiceConfig config(SettingOverride... more) {
    List<SettingOverride> settings =
        Stream.concat(
                Stream.of(
                    new SettingOverride("listeners", "localhost:0", "test"),
                    new SettingOverride("models.directory", models.toString(), "test"),
                    new SettingOverride("models.plugins", "sleeper", "test")),
                Stream.of(more))
            .toList();
    return new SluiceConfigReader(_ -> {}).read(Optional.empty(), Map.of(), settings);
  }

  /** The server waits for the runs, and frees what they have used. */
  @AfterAll
  static void nothingIsLeftOpen() {
    channel.shutdownNow();
    caller.close();
    server.close();
  }

  private static Answer post(HttpCaller client, String path, String body, String... header) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json");
    for (int i = 0; i < header.length; i += 2) {
      headers.add(header[i], header[i + 1]);
    }
    return client.send("POST", path, headers, Buffer.buffer(body));
  }

  private static final String V1 = "{\"instances\": [" + ROW + "]}";

  private static String v2(String input, String parameters) {
    return "{%s\"inputs\": [{\"name\": \"%s\", \"datatype\": \"FP32\", \"shape\": [1, 2], \"data\": %s}]}"
        .formatted(parameters, input, ROW);
  }

  private static String steps(String parameters) {
    return "{%s\"inputs\": [{\"name\": \"steps\", \"datatype\": \"INT64\", \"shape\": [], \"data\": [%d]}]}"
        .formatted(parameters, steps);
  }

  private static String grps(String model, String input) {
    return "{\"model\": \"%s\", \"gtensors\": {\"tensors\": [{\"name\": \"%s\", \"dtype\": \"DT_FLOAT32\", \"shape\": [1, 2], \"flat_float32\": %s}]}}"
        .formatted(model, input, ROW);
  }

  private static final String IN_SEQUENCE =
      "\"parameters\": {\"sequence_id\": %d, \"sequence_start\": true, \"sequence_end\": true}, ";

  /**
   * What is asked for over HTTP.
   *
   * @param status of the answer
   */
  record Operation(String name, String path, String body, int status) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Operation> operations() {
    String examples = "{\"examples\": [{\"x\": " + ROW + "}]}";
    return Stream.of(
        new Operation("V1 predict", "/v1/models/slow:predict", V1, 504),
        new Operation("explain", "/v1/models/slow:explain", V1, 504),
        new Operation("classify", "/v1/models/classifier:classify", examples, 504),
        new Operation("ensemble", "/v2/models/ensemble/infer", v2("x", ""), 504),
        new Operation(
            "sequence, ONNX",
            "/v2/models/sequence/infer",
            v2("INPUT0", IN_SEQUENCE.formatted(1)),
            504),
        new Operation(
            "sequence, TensorFlow", "/v2/models/loop0/infer", steps(IN_SEQUENCE.formatted(2)), 504),
        new Operation(
            "generator, ONNX",
            "/v2/models/generator/generate_stream",
            "{\"INPUT0\": " + ROW + "}",
            504),
        new Operation(
            "generator, TensorFlow",
            "/v2/models/loop1/generate_stream",
            "{\"steps\": " + steps + "}",
            504),
        new Operation(
            "generator in a stream of grps",
            "/grps/v1/infer/predict?streaming=true",
            grps("generator", "INPUT0"),
            200),
        new Operation("generate", "/v2/models/slow/generate", "{\"INPUT0\": " + ROW + "}", 504),
        new Operation("rows by events", "/v2/models/slow/infer_stream", v2("INPUT0", ""), 504),
        new Operation("plugin, V1", "/v1/models/sleeper:predict", V1, 504),
        new Operation("plugin, V2", "/v2/models/sleeper/infer", v2("x", ""), 504),
        new Operation("plugin, grps", "/grps/v1/infer/predict", grps("sleeper", "x"), 504),
        new Operation(
            "plugin in a stream of grps",
            "/grps/v1/infer/predict?streaming=true",
            grps("sleeper", "x"),
            200),
        new Operation("plugin by events", "/v2/models/sleeper/infer_stream", v2("x", ""), 504));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("operations")
  void operationIsAnsweredAtItsDeadline(Operation operation) {
    Answer late =
        post(caller, operation.path(), operation.body(), "Request-Timeout", TIMEOUT_MILLIS + "ms");
    // A run of ONNX Runtime is stopped when nobody waits for it: the next one finds a worker.
    assertThat(late.text()).contains(LATE).doesNotContain("in the queue");
    assertThat(late.status()).as(late.text()).isEqualTo(operation.status());
  }

  @Test
  void timeoutOfTheSettingsIsADeadlineOfEveryOperation() {
    var timeout = new SettingOverride("limits.request_timeout", TIMEOUT_MILLIS + "ms", "test");
    try (var impatient = RunningServer.start(config(timeout));
        var client = new HttpCaller(impatient.port())) {
      operations()
          .filter(operation -> !operation.name().contains("TensorFlow"))
          .forEach(operation ->
              assertThat(post(client, operation.path(), operation.body()).text())
                  .as(operation.name())
                  .contains(LATE));
    }
  }

  private static final ModelSpec.Builder CLASSIFIER = ModelSpec.newBuilder().setName("classifier");

  private static Input example() {
    Feature row =
        Feature.newBuilder().setFloatList(FloatList.newBuilder().addValue(1).addValue(2)).build();
    return Input.newBuilder()
        .setExampleList(
            ExampleList.newBuilder()
                .addExamples(
                    Example.newBuilder().setFeatures(Features.newBuilder().putFeature("x", row))))
        .build();
  }

  private static ModelInferRequest.Builder oip(String model, String input) {
    ByteBuffer row = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putFloat(1).putFloat(2);
    var request = ModelInferRequest.newBuilder().setModelName(model);
    request.addInputsBuilder().setName(input).setDatatype("FP32").addShape(1).addShape(2);
    return request.addRawInputContents(ByteString.copyFrom(row.flip()));
  }

  private static ModelInferRequest loop() {
    ByteBuffer count = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(steps);
    var request = ModelInferRequest.newBuilder().setModelName("loop" + (2 + loops++));
    request.addInputsBuilder().setName("steps").setDatatype("INT64");
    return request.addRawInputContents(ByteString.copyFrom(count.flip())).build();
  }

  private static GrpsMessage grpsMessage(String model, String input) {
    var tensor =
        GenericTensor.newBuilder()
            .setName(input)
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
            .addShape(1)
            .addShape(2)
            .addFlatFloat32(1)
            .addFlatFloat32(2);
    return GrpsMessage.newBuilder()
        .setModel(model)
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  /** What is asked for over gRPC, and the model's name in metrics. */
  record Call(String name, String method, String model, Message request) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Call> calls() {
    String infer = "inference.GRPCInferenceService/ModelInfer";
    String service = "tensorflow.serving.PredictionService/";
    ModelInferRequest loop = loop();
    var inSequence = oip("sequence", "INPUT0");
    inSequence.putParameters("sequence_id", InferParameter.newBuilder().setInt64Param(7).build());
    inSequence.putParameters(
        "sequence_start", InferParameter.newBuilder().setBoolParam(true).build());
    return Stream.of(
        new Call("ONNX", infer, "slow", oip("slow", "INPUT0").build()),
        new Call("TensorFlow", infer, loop.getModelName(), loop),
        new Call("ensemble", infer, "ensemble", oip("ensemble", "x").build()),
        new Call("sequence", infer, "sequence", inSequence.build()),
        new Call("plugin", infer, "sleeper", oip("sleeper", "x").build()),
        new Call(
            "grps", "grps.protos.v1.GrpsService/Predict", "slow", grpsMessage("slow", "INPUT0")),
        new Call(
            "classify",
            service + "Classify",
            "classifier",
            ClassificationRequest.newBuilder()
                .setModelSpec(CLASSIFIER)
                .setInput(example())
                .build()));
  }

  /** The client gives up by itself at its deadline: what the server does is seen in its metrics. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  void serverEndsACallAtTheDeadlineOfGrpc(Call call) {
    double before = ended(call.model());
    var options = CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    StatusRuntimeException late =
        catchThrowableOfType(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingUnaryCall(
                    channel, RawCalls.unary(call.method()), options, call.request().toByteArray()));
    assertThat(late.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (ended(call.model()) == before) {
      assertThat(System.nanoTime()).as("the server ends the call").isLessThan(end);
    }
  }

  /**
   * Calls that ended without an answer: late, or cancelled by a client who was a moment earlier.
   */
  private static double ended(String model) {
    var page = new PrometheusPage(caller.send("GET", "/metrics", Buffer.buffer()).text());
    return Stream.of("DEADLINE_EXCEEDED", "CANCELLED")
        .mapToDouble(status -> page.sum("sluice_requests_total", "model", model, "status", status))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Request-Timeout: 300ms",
        "Request-Timeout: 0.3",
        "X-Envoy-Expected-Rq-Timeout-Ms: 300",
        "x-envoy-upstream-rq-timeout-ms: 300"
      })
  void headerOfAnyProxySaysWhenTheAnswerIsLate(String header) {
    String[] parts = header.split(": ", 2);
    Answer late = post(caller, "/v1/models/slow:predict", V1, parts);
    assertThat(late.status()).as(late.text()).isEqualTo(504);
    assertThat(late.text()).contains(LATE);
  }
}
