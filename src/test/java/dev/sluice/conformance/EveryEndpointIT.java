package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.Mutations;
import dev.sluice.testing.RawCalls;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EveryEndpointIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final float[] X = {1f, -2.5f, 0.1f, 1e20f, 16_777_216f};
  private static final String NUMBERS = "[1.0,-2.5,0.1,1e20,16777216]";
  private static final int MALFORMED = 1_000;

  private static RunningServer server;
  private static HttpClient http;
  private static ManagedChannel channel;

  /** A door over HTTP and a good request to it. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Endpoint(String name, String path, String type, byte[] body, int jsonLength) {
    Endpoint(String name, String path, String json) {
      this(name, path, "application/json", json.getBytes(UTF_8), -1);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void open() {
    server = RunningServer.start(Path.of("src/sample/models"));
    http = HttpClient.newHttpClient();
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void close() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static byte[] raw() {
    ByteBuffer bytes = ByteBuffer.allocate(X.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (float x : X) {
      bytes.putFloat(x);
    }
    return bytes.array();
  }

  private static byte[] join(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  static Stream<Endpoint> endpoints() {
    String binary =
        """
        {"inputs":[{"name":"x","datatype":"FP32","shape":[5],\
        "parameters":{"binary_data_size":20}}]}\
        """;
    return Stream.of(
        new Endpoint(
            "V1 rows", "/v1/models/half_plus_two:predict", "{\"instances\":" + NUMBERS + "}"),
        new Endpoint(
            "V1 columns",
            "/v1/models/half_plus_two:predict",
            "{\"inputs\":{\"x\":" + NUMBERS + "}}"),
        new Endpoint(
            "V2 JSON",
            "/v2/models/half_plus_two/infer",
            "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[5],\"data\":"
                + NUMBERS
                + "}]}"),
        new Endpoint(
            "V2 binary",
            "/v2/models/half_plus_two/infer",
            "application/octet-stream",
            join(binary.getBytes(UTF_8), raw()),
            binary.length()),
        new Endpoint(
            "grps gtensors",
            "/grps/v1/infer/predict",
            "{\"model\":\"half_plus_two\",\"gtensors\":{\"tensors\":[{\"name\":\"x\","
                + "\"dtype\":\"DT_FLOAT32\",\"shape\":[5],\"flat_float32\":"
                + NUMBERS
                + "}]}}"),
        new Endpoint(
            "grps ndarray",
            "/grps/v1/infer/predict?return-ndarray=true",
            "{\"model\":\"half_plus_two\",\"ndarray\":" + NUMBERS + "}"),
        new Endpoint(
            "grps bytes",
            "/grps/v1/infer/predict?model=half_plus_two",
            "application/octet-stream",
            raw(),
            -1));
  }

  private static HttpResponse<byte[]> send(Endpoint endpoint, byte[] body) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(server.url() + endpoint.path()))
            .header("Content-Type", endpoint.type())
            .POST(BodyPublishers.ofByteArray(body));
    if (endpoint.jsonLength() >= 0) {
      request.header("Inference-Header-Content-Length", Integer.toString(endpoint.jsonLength()));
    }
    return http.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static float[] wanted() {
    float[] y = new float[X.length];
    for (int i = 0; i < y.length; i++) {
      y[i] = X[i] * 0.5f + 2f;
    }
    return y;
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void theSameQuestionGetsTheSameNumbersOverHttp(Endpoint endpoint) throws Exception {
    HttpResponse<byte[]> answer = send(endpoint, endpoint.body());
    assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
    assertThat(numbers(endpoint, answer.body())).containsExactly(wanted());
  }

  private static float[] numbers(Endpoint endpoint, byte[] body) throws Exception {
    if (endpoint.name().equals("grps bytes")) {
      float[] floats = new float[body.length / 4];
      ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(floats);
      return floats;
    }
    JsonNode answer = JSON.readTree(body);
    JsonNode list =
        switch (endpoint.name()) {
          case "V1 rows" -> answer.at("/predictions");
          case "V1 columns" -> answer.at("/outputs");
          case "V2 JSON", "V2 binary" -> answer.at("/outputs/0/data");
          case "grps gtensors" -> answer.at("/gtensors/tensors/0/flat_float32");
          default -> answer.at("/ndarray");
        };
    float[] floats = new float[list.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = Float.parseFloat(list.get(i).asText());
    }
    return floats;
  }

  private static ModelInferRequest oip() {
    var request = ModelInferRequest.newBuilder().setModelName("half_plus_two");
    request.addInputsBuilder().setName("x").setDatatype("FP32").addShape(X.length);
    return request.addRawInputContents(ByteString.copyFrom(raw())).build();
  }

  private static PredictRequest tfs() {
    var tensor = TensorProto.newBuilder().setDtype(DataType.DT_FLOAT);
    tensor.setTensorShape(
        TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(X.length)));
    tensor.setTensorContent(ByteString.copyFrom(raw()));
    return PredictRequest.newBuilder()
        .setModelSpec(ModelSpec.newBuilder().setName("half_plus_two"))
        .putInputs("x", tensor.build())
        .build();
  }

  private static GrpsMessage grps() {
    var tensor = GenericTensor.newBuilder().setName("x").addShape(X.length);
    tensor.setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_FLOAT32);
    for (float x : X) {
      tensor.addFlatFloat32(x);
    }
    return GrpsMessage.newBuilder()
        .setModel("half_plus_two")
        .setGtensors(GenericTensorData.newBuilder().addTensors(tensor))
        .build();
  }

  @Test
  void theSameQuestionGetsTheSameNumbersOverGrpc() {
    float[] fromOip = new float[X.length];
    GRPCInferenceServiceGrpc.newBlockingStub(channel)
        .modelInfer(oip())
        .getRawOutputContents(0)
        .asReadOnlyByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(fromOip);
    var tfs = PredictionServiceGrpc.newBlockingStub(channel).predict(tfs());
    var grps = GrpsServiceGrpc.newBlockingStub(channel).predict(grps());
    assertThat(fromOip).containsExactly(wanted());
    assertThat(floats(tfs.getOutputsOrThrow("y").getFloatValList())).containsExactly(wanted());
    assertThat(floats(grps.getGtensors().getTensors(0).getFlatFloat32List()))
        .containsExactly(wanted());
  }

  static Stream<Arguments> methods() {
    return Stream.of(
        Arguments.of("inference.GRPCInferenceService/ModelInfer", oip()),
        Arguments.of("tensorflow.serving.PredictionService/Predict", tfs()),
        Arguments.of("grps.protos.v1.GrpsService/Predict", grps()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("methods")
  void aThousandMalformedMessagesAreTheCallersFaultAndLeaveNothingBehind(
      String method, Message sound) throws Exception {
    long before = TensorMemory.openBlocks();
    var mutations = new Mutations(method.hashCode());
    for (int i = 0; i < MALFORMED; i++) {
      assertThat(status(method, mutations.damage(sound.toByteArray())))
          .isIn(
              Status.Code.OK,
              Status.Code.INVALID_ARGUMENT,
              Status.Code.NOT_FOUND,
              Status.Code.FAILED_PRECONDITION,
              Status.Code.UNIMPLEMENTED);
    }
    assertThat(status(method, sound.toByteArray())).isEqualTo(Status.Code.OK);
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }

  private static Status.Code status(String method, byte[] message) {
    try {
      RawCalls.send(channel, method, message);
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static float[] floats(List<Float> list) {
    float[] floats = new float[list.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = list.get(i);
    }
    return floats;
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void aThousandMalformedBodiesAreTheCallersFaultAndLeaveNothingBehind(Endpoint endpoint)
      throws Exception {
    long before = TensorMemory.openBlocks();
    var mutations = new Mutations(endpoint.name().hashCode());
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < MALFORMED; i++) {
      byte[] body = mutations.damage(endpoint.body());
      HttpResponse<byte[]> answer = send(endpoint, body);
      String text = new String(answer.body(), UTF_8);
      // grps answers an unknown model with 500, as its clients know it.
      boolean unknownModel = text.contains("Not found model");
      if ((answer.statusCode() >= 500 && !unknownModel) || text.contains("\tat ")) {
        faults.add(answer.statusCode() + " " + text + " to " + new String(body, UTF_8));
      }
    }
    assertThat(faults).isEmpty();
    assertThat(numbers(endpoint, send(endpoint, endpoint.body()).body())).containsExactly(wanted());
    assertThat(TensorMemory.openBlocks()).isEqualTo(before);
  }
}
