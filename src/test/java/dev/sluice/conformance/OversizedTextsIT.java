package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.oip.grpc.proto.LogSettingsRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelConfigRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelReadyRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelStatisticsRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelLoadRequest;
import dev.sluice.protocol.oip.grpc.proto.RepositoryModelUnloadRequest;
import dev.sluice.protocol.oip.grpc.proto.TraceSettingRequest;
import dev.sluice.protocol.tfs.grpc.proto.ClassificationRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.GetModelMetadataRequest;
import dev.sluice.protocol.tfs.grpc.proto.GetModelStatusRequest;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.testing.BrpcClient;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RawCalls;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of a megabyte, with what a terminal obeys, come back short and escaped everywhere. */
@Timeout(120)
class OversizedTextsIT {
  private static final String NAME = "\u001b[31m\u009b\u202e" + "n".repeat(1 << 20) + "\u001b[0m";
  private static final String MODEL = "half_plus_two";

  /** Bytes of an answer: an error's text, as long as it may be, and what it is wrapped in. */
  private static final int LONGEST_ANSWER = 7_000;

  /** Of a line in the log, however many facts it has. */
  private static final int LONGEST_LINE = 7_000;

  /** Of the head of a brpc call. */
  private static final int LONGEST_META = 15_000;

  private static ChildServer server;
  private static int port;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    port = ChildServer.freePort();
    Path settings =
        Files.writeString(
            folder.resolve("sluice.yml"),
            """
            listeners: [{ address: "localhost:%d", control: true }]
            models: { directory: src/sample/models, control: explicit, load: %s }
            grps: { default_model: %s }
            """
                .formatted(port, MODEL, MODEL));
    server = ChildServer.start("serve", "--config", settings.toString());
    server.awaitModel(MODEL + "/");
  }

  @AfterAll
  static void linesOfTheLogAreShortAndEscaped() {
    server.terminate();
    assertThat(server.exitCode()).isZero();
    List<String> lines = server.output();
    server.close();
    for (String line : lines) {
      assertThat(line.getBytes(UTF_8).length).as("length of a line").isLessThan(LONGEST_LINE);
      assertHarmless(line);
      assertThat(line).doesNotContain(" ERROR ", " | at ");
    }
  }

  private static void assertHarmless(String text) {
    assertThat(text.chars().anyMatch(c -> (Character.isISOControl(c) && c != '\n') || c == 0x202e))
        .as("control characters in " + text.substring(0, Math.min(100, text.length())))
        .isFalse();
  }

  private static JsonObject json(String key, Object value) {
    return JsonObject.of(key, value);
  }

  private static JsonObject input(String key, Object value) {
    JsonObject input =
        JsonObject.of(
            "name", "x", "datatype", "FP32", "shape", JsonArray.of(1), "data", JsonArray.of(1));
    return json("inputs", JsonArray.of(input.put(key, value)));
  }

  private static JsonObject rows(Object row) {
    return json("instances", JsonArray.of(row));
  }

  private static void assertShort(HttpCaller caller, String path, Buffer body) {
    var answer =
        caller.send(
            "POST",
            path,
            MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/json"),
            body);
    assertThat(answer.body().length()).as(path + " " + answer.status()).isLessThan(LONGEST_ANSWER);
    assertThat(answer.status()).as(answer.text()).isNotEqualTo(403);
    if (!path.startsWith("/grps")) { // Whose protocol answers 500 whatever is wrong.
      assertThat(answer.status()).as(answer.text()).isBetween(200, 499);
    }
    assertHarmless(answer.text());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/models/half_plus_two:predict",
        "/v1/models/half_plus_two:classify",
        "/v1/models/half_plus_two:regress",
        "/v1/models/half_plus_two:explain",
        "/v2/models/half_plus_two/infer",
        "/v2/models/half_plus_two/generate",
        "/v2/models/half_plus_two/trace/setting",
        "/v2/repository/index",
        "/v2/repository/models/none/load",
        "/v2/repository/models/none/unload",
        "/v2/logging",
        "/v2/trace/setting",
        "/grps/v1/infer/predict"
      })
  void answersOverHttpAreShort(String path) {
    List<Object> bodies =
        List.of(
            json("signature_name", NAME).put("instances", JsonArray.of(1)),
            rows(json(NAME, 1)),
            rows(NAME),
            rows(json("x", NAME)),
            json("inputs", json(NAME, JsonArray.of(1))),
            json("inputs", NAME),
            json("examples", JsonArray.of(json(NAME, 1))),
            json("examples", JsonArray.of(json("x", NAME))).put("signature_name", NAME),
            input("name", NAME),
            input("datatype", NAME),
            input("shape", JsonArray.of(NAME)),
            input("data", JsonArray.of(NAME)),
            input("parameters", json(NAME, NAME)),
            input("name", "x").put("outputs", JsonArray.of(json("name", NAME))),
            input("name", "x").put("parameters", json(NAME, json(NAME, NAME))),
            json("parameters", json(NAME, NAME)),
            json("parameters", json("config", NAME)),
            json(NAME, NAME),
            json("log_format", NAME),
            json("trace_level", JsonArray.of(NAME)),
            json("model", NAME).put("str_data", "x"),
            json("gtensors", json("tensors", JsonArray.of(json("name", NAME).put("dtype", NAME)))),
            json("ndarray", NAME),
            json("gmap", json("s_i32", json(NAME, NAME))),
            NAME,
            "{" + NAME,
            "{\"" + NAME + "\": " + NAME);
    try (var caller = new HttpCaller(port)) {
      for (Object body : bodies) {
        assertShort(
            caller,
            path,
            body instanceof JsonObject object ? object.toBuffer() : Buffer.buffer((String) body));
      }
    }
  }

  private static ModelSpec.Builder spec() {
    return ModelSpec.newBuilder().setName(MODEL);
  }

  private static ModelInferRequest.Builder infer() {
    return ModelInferRequest.newBuilder().setModelName(MODEL);
  }

  private static ModelInferRequest.InferInputTensor.Builder tensor() {
    return ModelInferRequest.InferInputTensor.newBuilder()
        .setName("x")
        .setDatatype("FP32")
        .addShape(1);
  }

  private static List<Map.Entry<String, Message>> calls() {
    TensorProto number =
        TensorProto.newBuilder().setDtype(DataType.DT_FLOAT).addFloatVal(1).build();
    String tfs = "tensorflow.serving.PredictionService/";
    String oip = "inference.GRPCInferenceService/";
    return List.of(
        Map.entry(
            tfs + "Predict",
            PredictRequest.newBuilder().setModelSpec(spec().setName(NAME)).build()),
        Map.entry(
            tfs + "Predict",
            PredictRequest.newBuilder().setModelSpec(spec().setSignatureName(NAME)).build()),
        Map.entry(
            tfs + "Predict",
            PredictRequest.newBuilder().setModelSpec(spec().setVersionLabel(NAME)).build()),
        Map.entry(
            tfs + "Predict",
            PredictRequest.newBuilder().setModelSpec(spec()).putInputs(NAME, number).build()),
        Map.entry(
            tfs + "Predict",
            PredictRequest.newBuilder()
                .setModelSpec(spec())
                .putInputs("x", number)
                .addOutputFilter(NAME)
                .build()),
        Map.entry(
            tfs + "Classify",
            ClassificationRequest.newBuilder().setModelSpec(spec().setSignatureName(NAME)).build()),
        Map.entry(
            tfs + "GetModelMetadata",
            GetModelMetadataRequest.newBuilder()
                .setModelSpec(spec())
                .addMetadataField(NAME)
                .build()),
        Map.entry(
            "tensorflow.serving.ModelService/GetModelStatus",
            GetModelStatusRequest.newBuilder().setModelSpec(spec().setName(NAME)).build()),
        Map.entry(oip + "ModelReady", ModelReadyRequest.newBuilder().setName(NAME).build()),
        Map.entry(
            oip + "ModelReady",
            ModelReadyRequest.newBuilder().setName(MODEL).setVersion(NAME).build()),
        Map.entry(oip + "ModelMetadata", ModelMetadataRequest.newBuilder().setName(NAME).build()),
        Map.entry(oip + "ModelConfig", ModelConfigRequest.newBuilder().setName(NAME).build()),
        Map.entry(
            oip + "ModelStatistics", ModelStatisticsRequest.newBuilder().setName(NAME).build()),
        Map.entry(oip + "ModelInfer", infer().setModelName(NAME).build()),
        Map.entry(oip + "ModelInfer", infer().setModelVersion(NAME).build()),
        Map.entry(oip + "ModelInfer", infer().addInputs(tensor().setName(NAME)).build()),
        Map.entry(oip + "ModelInfer", infer().addInputs(tensor().setDatatype(NAME)).build()),
        Map.entry(
            oip + "ModelInfer",
            infer()
                .addInputs(tensor())
                .addOutputs(ModelInferRequest.InferRequestedOutputTensor.newBuilder().setName(NAME))
                .addRawInputContents(ByteString.copyFrom(new byte[4]))
                .build()),
        Map.entry(
            oip + "RepositoryModelLoad",
            RepositoryModelLoadRequest.newBuilder().setModelName(NAME).build()),
        Map.entry(
            oip + "RepositoryModelUnload",
            RepositoryModelUnloadRequest.newBuilder().setModelName(NAME).build()),
        Map.entry(
            oip + "LogSettings",
            LogSettingsRequest.newBuilder()
                .putSettings(
                    NAME, LogSettingsRequest.SettingValue.newBuilder().setStringParam(NAME).build())
                .build()),
        Map.entry(
            oip + "TraceSetting", TraceSettingRequest.newBuilder().setModelName(NAME).build()),
        Map.entry(
            "grps.protos.v1.GrpsService/Predict", GrpsMessage.newBuilder().setModel(NAME).build()),
        Map.entry("grps.protos.v1.GrpsService/Predict", oddTensor()));
  }

  private static GrpsMessage oddTensor() {
    return GrpsMessage.newBuilder()
        .setModel(MODEL)
        .setGtensors(
            GenericTensorData.newBuilder()
                .addTensors(
                    GenericTensor.newBuilder()
                        .setName(NAME)
                        .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32)
                        .addFlatFloat32(1)))
        .build();
  }

  /** Bytes of the head of a request may be those of a terminal's 8-bit controls. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /v1/models/ODD:predict HTTP/1.1\r\nHost: localhost",
        "GET /v1/models/m/ODD HTTP/1.1\r\nHost: localhost",
        "GET /v2/models/ODD HTTP/1.1\r\nHost: localhost",
        "GET /v2 HTTP/1.1\r\nHost: ODD",
        "GET /v2 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ODD, chunked",
        "GET /v2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: ODD",
        "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Length: 2\r\nContent-Encoding: ODD",
        "POST /v2/repository/models/m/unload HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Length: 2\r\nOrigin: ODD",
        "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ODD\r\n"
            + "Content-Length: 2\r\nTimeout: ODD",
        "POST /odd.ODD/ODD HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Length: 2\r\nContent-Type: application/grpc-web+proto"
      })
  void answersToOddHeadsAreShort(String head) throws IOException {
    String odd = "\u009b31m\u0085\u0090" + "n".repeat(1_000);
    String request = head.replace("ODD", odd) + "\r\nConnection: close\r\n\r\n{}";
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).contains("HTTP/1.1 ").hasSizeLessThan(LONGEST_ANSWER);
      // The length before the trailers of gRPC-Web is no text.
      int text = Math.max(0, answer.indexOf("grpc-status"));
      assertHarmless(answer.substring(text).replace("\r\n", "\n"));
    }
  }

  @Test
  void answersOverGrpcAreShort() {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    try {
      for (Map.Entry<String, Message> call : calls()) {
        String text = answer(channel, call);
        assertThat(text.length()).as(call.getKey()).isLessThan(LONGEST_ANSWER);
        assertHarmless(text);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static String answer(ManagedChannel channel, Map.Entry<String, Message> call) {
    try {
      byte[] answer = RawCalls.send(channel, call.getKey(), call.getValue().toByteArray());
      assertThat(answer.length).as(call.getKey()).isLessThan(LONGEST_ANSWER);
      return "";
    } catch (StatusRuntimeException e) {
      String code = e.getStatus().getCode().toString();
      assertThat(code)
          .as(call.getKey())
          .isNotIn("INTERNAL", "UNKNOWN", "UNAVAILABLE", "PERMISSION_DENIED");
      return code.toLowerCase(Locale.ROOT) + e.getStatus().getDescription();
    }
  }

  @Test
  void answersOverBrpcAreShort() throws Exception {
    byte[] message = GrpsMessage.newBuilder().setModel(NAME).build().toByteArray();
    String method = NAME.substring(0, LONGEST_META); // A longer one ends the connection.
    List<Map.Entry<BrpcClient.Call, byte[]>> calls =
        List.of(
            Map.entry(new BrpcClient.Call("grps.protos.v1.GrpsService", "Predict", 1), message),
            Map.entry(
                new BrpcClient.Call("grps.protos.v1.GrpsService", "Predict", 2),
                oddTensor().toByteArray()),
            Map.entry(new BrpcClient.Call("grps.protos.v1.GrpsService", method, 3), new byte[0]),
            Map.entry(new BrpcClient.Call(method, "Predict", 4), new byte[0]));
    for (Map.Entry<BrpcClient.Call, byte[]> call : calls) {
      try (var client = new BrpcClient(port)) {
        client.send(call.getKey().frame(call.getValue()));
        BrpcClient.Answer answer = client.answer();
        assertThat(answer.errorText().length() + answer.message().length)
            .isLessThan(LONGEST_ANSWER);
        assertHarmless(answer.errorText() + answer.text());
      }
    }
  }
}
