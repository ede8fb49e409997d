package dev.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GenericTensorData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.RunningServer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tensors of texts that have fewer or more values than their shape of three says. */
class IsolationTextsIT {
  private static final int SHAPE = 3;

  private static RunningServer server;
  private static PredictClient client;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/test/models/oip"));
    client = new PredictClient(server);
  }

  @AfterAll
  static void stop() throws Exception {
    client.close();
    server.close();
  }

  /** Texts that no other request sends. */
  private static List<String> texts(int count) {
    return List.of("one-" + count, "two-" + count, "three-" + count, "four-" + count)
        .subList(0, count);
  }

  private static ModelInferRequest.Builder oip() {
    var request = ModelInferRequest.newBuilder().setModelName("idb");
    request.addInputsBuilder().setName("INPUT0").setDatatype("BYTES").addShape(1).addShape(SHAPE);
    return request;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4})
  void v2RefusesThem(int count) {
    String json =
        "{\"inputs\":[{\"name\":\"INPUT0\",\"datatype\":\"BYTES\",\"shape\":[1,3],\"data\":%s}]}"
            .formatted(texts(count).stream().map(text -> '"' + text + '"').toList());
    assertThatThrownBy(() -> client.post("/v2/models/idb/infer", json))
        .hasMessageStartingWith("400 ");
    var stub = GRPCInferenceServiceGrpc.newBlockingStub(client.channel());
    var raw = oip().addRawInputContents(raw(texts(count))).build();
    assertThatThrownBy(() -> stub.modelInfer(raw)).hasMessageStartingWith("INVALID_ARGUMENT");
    var listed = oip();
    texts(count).forEach(text -> contents(listed).addBytesContents(ByteString.copyFromUtf8(text)));
    assertThatThrownBy(() -> stub.modelInfer(listed.build()))
        .hasMessageStartingWith("INVALID_ARGUMENT");
  }

  private static InferTensorContents.Builder contents(ModelInferRequest.Builder request) {
    return request.getInputsBuilder(0).getContentsBuilder();
  }

  private static ByteString raw(List<String> texts) {
    ByteBuffer raw = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
    texts.forEach(text -> raw.putInt(text.length()).put(text.getBytes(UTF_8)));
    return ByteString.copyFrom(raw.flip());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4})
  void grpsRefusesThem(int count) {
    var tensor =
        GenericTensor.newBuilder()
            .setName("INPUT0")
            .addShape(1)
            .addShape(SHAPE)
            .setDtype(dev.sluice.protocol.grps.grpc.proto.DataType.DT_STRING)
            .addAllFlatString(texts(count));
    var request =
        GrpsMessage.newBuilder()
            .setModel("idb")
            .setGtensors(GenericTensorData.newBuilder().addTensors(tensor));
    var answer = GrpsServiceGrpc.newBlockingStub(client.channel()).predict(request.build());
    assertThat(answer.getStatus().getCode()).as(answer.getStatus().getMsg()).isEqualTo(400);
    String json =
        """
        {"model":"idb","gtensors":{"tensors":[{"name":"INPUT0","dtype":"DT_STRING",\
        "shape":[1,3],"flat_string":%s}]}}\
        """
            .formatted(texts(count).stream().map(text -> '"' + text + '"').toList());
    assertThatThrownBy(() -> client.post("/grps/v1/infer/predict", json))
        .hasMessageStartingWith("400 ");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 4})
  void tensorflowServingTakesTheLastOneForThoseThatAreMissing(int count) {
    var shape = TensorShapeProto.newBuilder();
    shape.addDimBuilder().setSize(1);
    shape.addDimBuilder().setSize(SHAPE);
    var tensor = TensorProto.newBuilder().setDtype(DataType.DT_STRING).setTensorShape(shape);
    texts(count).forEach(text -> tensor.addStringVal(ByteString.copyFromUtf8(text)));
    var request =
        PredictRequest.newBuilder()
            .setModelSpec(ModelSpec.newBuilder().setName("idb"))
            .putInputs("INPUT0", tensor.build())
            .build();
    var answer = PredictionServiceGrpc.newBlockingStub(client.channel()).predict(request);
    assertThat(answer.getOutputsOrThrow("OUTPUT0").getStringValList())
        .containsExactlyElementsOf(filled(texts(count)));
  }

  private static List<ByteString> filled(List<String> texts) {
    String last = texts.isEmpty() ? "" : texts.getLast();
    return Stream.concat(texts.stream(), Stream.generate(() -> last))
        .limit(SHAPE)
        .map(ByteString::copyFromUtf8)
        .toList();
  }
}
