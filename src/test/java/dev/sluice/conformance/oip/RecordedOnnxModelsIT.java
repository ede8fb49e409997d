package dev.sluice.conformance.oip;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.codec.JsonTensors;
import dev.sluice.protocol.codec.JsonTensors.BytesForm;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelMetadataResponse;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.testing.OnnxTensorFile;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import dev.sluice.transport.Body;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every model with recorded answers gives them: raw over gRPC, in JSON and as bytes over HTTP. */
class RecordedOnnxModelsIT {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static final String LENGTH = "Inference-Header-Content-Length";

  private static RunningServer server;
  private static ManagedChannel channel;
  private static GRPCInferenceServiceBlockingStub client;

  @BeforeAll
  static void start() {
    server = RunningServer.start(TestModels.onnx(""));
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    client = GRPCInferenceServiceGrpc.newBlockingStub(channel);
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    server.close();
  }

  static List<Path> models() throws IOException {
    return TestModels.allOnnx();
  }

  @ParameterizedTest
  @MethodSource("models")
  void givesTheRecordedAnswersRawOverGrpc(Path model) throws IOException {
    ModelMetadataResponse metadata = metadata(model);
    for (Path dataSet : TestModels.dataSets(model)) {
      List<Tensor> inputs = tensors(dataSet, "input");
      ModelInferResponse answer = client.modelInfer(rawRequest(metadata, inputs));
      List<Tensor> outputs = new ArrayList<>();
      for (int i = 0; i < answer.getOutputsCount(); i++) {
        outputs.add(rawTensor(answer.getOutputs(i), answer.getRawOutputContents(i)));
      }
      assertSame(outputs, tensors(dataSet, "output"));
      inputs.forEach(Tensor::close);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void givesTheRecordedAnswersAsJsonOverHttp(Path model) throws Exception {
    ModelMetadataResponse metadata = metadata(model);
    for (Path dataSet : TestModels.dataSets(model)) {
      List<Tensor> inputs = tensors(dataSet, "input");
      List<Tensor> outputs = new ArrayList<>();
      for (JsonNode output : post(metadata.getName(), jsonRequest(metadata, inputs))) {
        outputs.add(jsonTensor(output));
      }
      assertSame(outputs, tensors(dataSet, "output"));
      inputs.forEach(Tensor::close);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void givesTheRecordedAnswersAsBytesOverHttp(Path model) throws Exception {
    ModelMetadataResponse metadata = metadata(model);
    for (Path dataSet : TestModels.dataSets(model)) {
      List<Tensor> inputs = tensors(dataSet, "input");
      HttpResponse<byte[]> answer = postBytes(metadata, inputs);
      byte[] body = answer.body();
      int at = answer.headers().firstValue(LENGTH).map(Integer::parseInt).orElse(body.length);
      List<Tensor> outputs = new ArrayList<>();
      for (JsonNode output : JSON.readTree(Arrays.copyOf(body, at)).path("outputs")) {
        JsonNode size = output.at("/parameters/binary_data_size");
        assertThat(size.isIntegralNumber()).as(output.toString()).isTrue();
        byte[] bytes = Arrays.copyOfRange(body, at, at + size.intValue());
        DataType type = DataType.valueOf(output.path("datatype").asText());
        outputs.add(RawTensors.read(type, shape(output), Body.of(bytes)));
        at += bytes.length;
      }
      assertThat(at).isEqualTo(body.length);
      assertSame(outputs, tensors(dataSet, "output"));
      inputs.forEach(Tensor::close);
    }
  }

  private static HttpResponse<byte[]> postBytes(ModelMetadataResponse model, List<Tensor> inputs)
      throws Exception {
    byte[] head = bytesRequest(model, inputs).getBytes(StandardCharsets.UTF_8);
    var body = new ByteArrayOutputStream();
    body.write(head);
    for (Tensor input : inputs) {
      body.write(input.data().toArray(ValueLayout.JAVA_BYTE));
    }
    var request =
        HttpRequest.newBuilder(uri(model.getName()))
            .header(LENGTH, Integer.toString(head.length))
            .POST(BodyPublishers.ofByteArray(body.toByteArray()));
    HttpResponse<byte[]> answer = HTTP.send(request.build(), BodyHandlers.ofByteArray());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer;
  }

  private static String bytesRequest(ModelMetadataResponse model, List<Tensor> inputs) {
    var out = new JsonWriter(256);
    out.raw("{\"parameters\":{\"binary_data_output\":true},\"inputs\":[");
    for (int i = 0; i < inputs.size(); i++) {
      Tensor tensor = inputs.get(i);
      out.raw(i == 0 ? "{\"name\":" : ",{\"name\":").string(model.getInputs(i).getName());
      out.raw(",\"datatype\":").string(tensor.type().name());
      out.raw(",\"shape\":").raw(tensor.shape().toString());
      out.raw(",\"parameters\":{\"binary_data_size\":").number(tensor.byteSize()).raw("}}");
    }
    return out.raw("]}").toBuffer().toString();
  }

  private static ModelMetadataResponse metadata(Path model) {
    String name = model.getFileName().toString();
    return client.modelMetadata(ModelMetadataRequest.newBuilder().setName(name).build());
  }

  private static ModelInferRequest rawRequest(ModelMetadataResponse model, List<Tensor> inputs) {
    var request = ModelInferRequest.newBuilder().setModelName(model.getName());
    for (int i = 0; i < inputs.size(); i++) {
      Tensor tensor = inputs.get(i);
      request
          .addInputsBuilder()
          .setName(model.getInputs(i).getName())
          .setDatatype(tensor.type().name())
          .addAllShape(Arrays.stream(tensor.shape().dims()).boxed().toList());
      byte[] bytes = tensor.data().toArray(ValueLayout.JAVA_BYTE);
      request.addRawInputContents(ByteString.copyFrom(bytes));
    }
    return request.build();
  }

  private static Tensor rawTensor(ModelInferResponse.InferOutputTensor head, ByteString bytes) {
    Shape shape = Shape.of(head.getShapeList().stream().mapToLong(Long::longValue).toArray());
    DataType type = DataType.valueOf(head.getDatatype());
    return RawTensors.read(type, shape, Body.of(bytes.toByteArray()));
  }

  private static String jsonRequest(ModelMetadataResponse model, List<Tensor> inputs) {
    var out = new JsonWriter(256);
    out.raw("{\"inputs\":[");
    for (int i = 0; i < inputs.size(); i++) {
      Tensor tensor = inputs.get(i);
      out.raw(i == 0 ? "{\"name\":" : ",{\"name\":").string(model.getInputs(i).getName());
      out.raw(",\"datatype\":").string(tensor.type().name());
      out.raw(",\"shape\":").raw(tensor.shape().toString()).raw(",\"data\":");
      new JsonTensors(tensor, out, BytesForm.TEXT).nested();
      out.raw('}');
    }
    return out.raw("]}").toBuffer().toString();
  }

  private static JsonNode post(String model, String request) throws Exception {
    HttpResponse<String> answer =
        HTTP.send(
            HttpRequest.newBuilder(uri(model)).POST(BodyPublishers.ofString(request)).build(),
            BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body()).path("outputs");
  }

  private static URI uri(String model) {
    return URI.create(server.url() + "/v2/models/" + model + "/infer");
  }

  private static Shape shape(JsonNode output) {
    long[] dims = new long[output.path("shape").size()];
    Arrays.setAll(dims, i -> output.path("shape").path(i).asLong());
    return Shape.of(dims);
  }

  private static Tensor jsonTensor(JsonNode output) {
    DataType type = DataType.valueOf(output.path("datatype").asText());
    byte[] data = output.path("data").toString().getBytes(StandardCharsets.UTF_8);
    var in = new JsonCursor(Body.of(data));
    try (var builder = new TensorBuilder(type, 64)) {
      in.beginArray();
      while (in.nextElement()) {
        assertThat(JsonElements.of(type).read(in, builder)).isTrue();
      }
      return builder.build(shape(output));
    }
  }

  private static List<Tensor> tensors(Path dataSet, String kind) throws IOException {
    List<Tensor> tensors = new ArrayList<>();
    for (Path file : TestModels.recorded(dataSet, kind)) {
      tensors.add(OnnxTensorFile.read(file));
    }
    return tensors;
  }

  private static void assertSame(List<Tensor> actual, List<Tensor> expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int i = 0; i < expected.size(); i++) {
      Tensors.assertSame(actual.get(i), expected.get(i));
    }
    actual.forEach(Tensor::close);
    expected.forEach(Tensor::close);
  }
}
