package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.BareEncoder;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.MiniLm;
import dev.sluice.testing.MiniLm.Embedded;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TinyEncoder;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text encoders, served without settings from folders as they are published, by each protocol. */
class EmbeddingsIT {
  private static final float TOLERANCE = 1e-5f;
  private static final String ONE = "{\"text\": \"One\"}";
  private static final String NONE = "{\"text\": \"\"}";
  private static final JsonMapper JSON = new JsonMapper();

  private static List<Embedded> embedded;
  private static List<float[]> vectors;
  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    embedded = MiniLm.embedded();
    try (var bare = new BareEncoder(MiniLm.writeTo(models, "minilm").resolve("onnx"))) {
      vectors = embedded.stream().map(text -> bare.vector(text.ids())).toList();
    }
    TinyEncoder.ofVectors(false).writeTo(models, "tiny");
    write(TinyEncoder.ofLogits(1), models, "ranker");
    write(TinyEncoder.ofLogits(15), models, "classifier");
    Files.writeString(
        TinyEncoder.ofVectors(false).writeTo(models, "strict").resolve("model.yml"),
        "encoder: { max_tokens: 8, truncate: false }\n");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  private static void write(TinyEncoder model, Path models, String name) throws IOException {
    Files.writeString(
        model.writeTo(models, name).resolve("config.json"),
        """
        {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "yes", "1": "no"}}
        """);
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static Answer post(String path, Object body) {
    return http.post(path, JSON.valueToTree(body).toString());
  }

  private static JsonNode ask(String path, Object body) {
    return post(path, body).json(200);
  }

  private static Map<String, Object> input(String name, List<String> texts) {
    return Map.of("name", name, "datatype", "BYTES", "shape", List.of(texts.size()), "data", texts);
  }

  private static Answer infer(String model, List<String> texts) {
    return post("/v2/models/" + model + "/infer", Map.of("inputs", List.of(input("text", texts))));
  }

  private static List<String> texts() {
    return embedded.stream().map(Embedded::text).toList();
  }

  private static float[] floats(JsonNode numbers) {
    var floats = new float[numbers.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = numbers.get(i).floatValue();
    }
    return floats;
  }

  private static float[] part(float[] all, int row) {
    return Arrays.copyOfRange(all, row * MiniLm.WIDTH, (row + 1) * MiniLm.WIDTH);
  }

  private static void assertVector(int text, float[] vector) {
    float[] expected = vectors.get(text);
    float difference = 0;
    for (int i = 0; i < MiniLm.WIDTH; i++) {
      difference = Math.max(difference, Math.abs(expected[i] - vector[i]));
    }
    assertThat(difference).as(embedded.get(text).text()).isLessThan(TOLERANCE);
  }

  private static void assertEmbedded(float[] all) {
    assertThat(all).hasSize(embedded.size() * MiniLm.WIDTH);
    for (int i = 0; i < embedded.size(); i++) {
      assertVector(i, part(all, i));
    }
  }

  @Test
  void aPublishedFolderTakesTextsInPlaceOfTokens() {
    JsonNode model = http.send("GET", "/v2/models/minilm", Buffer.buffer()).json(200);
    assertThat(model.get("inputs").toString())
        .isEqualTo("[{\"name\":\"text\",\"datatype\":\"BYTES\",\"shape\":[-1]}]");
    assertThat(model.get("outputs").toString())
        .isEqualTo(
            "[{\"name\":\"embedding\",\"datatype\":\"FP32\",\"shape\":[-1,384]},"
                + "{\"name\":\"tokens\",\"datatype\":\"INT32\",\"shape\":[-1]}]");
  }

  /** Not to the last digit: other processors and versions round quantized numbers differently. */
  @Test
  void vectorsAreLikeThoseOfPython() {
    float[] all = floats(infer("minilm", texts()).json(200).at("/outputs/0/data"));
    for (int i = 0; i < embedded.size(); i++) {
      double cosine = 0;
      for (int j = 0; j < MiniLm.WIDTH; j++) {
        cosine += embedded.get(i).vector()[j] * all[i * MiniLm.WIDTH + j];
      }
      assertThat(cosine).as(embedded.get(i).text()).isGreaterThan(0.9);
    }
  }

  @Test
  void vectorsByV2AreThoseOfTheModelRunByHand() {
    assertEmbedded(floats(infer("minilm", texts()).json(200).at("/outputs/0/data")));
  }

  @Test
  void vectorsByV2GrpcAreThoseOfTheModelRunByHand() {
    var contents = InferTensorContents.newBuilder();
    texts().forEach(text -> contents.addBytesContents(ByteString.copyFromUtf8(text)));
    var request = ModelInferRequest.newBuilder().setModelName("minilm");
    request
        .addInputsBuilder()
        .setName("text")
        .setDatatype("BYTES")
        .addShape(embedded.size())
        .setContents(contents);
    ModelInferResponse answer =
        GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(request.build());
    var all = new float[embedded.size() * MiniLm.WIDTH];
    answer
        .getRawOutputContents(0)
        .asReadOnlyByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asFloatBuffer()
        .get(all);
    assertEmbedded(all);
  }

  @Test
  void vectorsByV1AreThoseOfTheModelRunByHand() {
    JsonNode rows =
        ask("/v1/models/minilm:predict", Map.of("instances", texts())).get("predictions");
    for (int i = 0; i < embedded.size(); i++) {
      assertVector(i, floats(rows.get(i)));
    }
  }

  @Test
  void vectorsByTensorflowServingAreThoseOfTheModelRunByHand() {
    var texts = TensorProto.newBuilder().setDtype(DataType.DT_STRING);
    texts.getTensorShapeBuilder().addDimBuilder().setSize(embedded.size());
    texts().forEach(text -> texts.addStringVal(ByteString.copyFromUtf8(text)));
    var request = PredictRequest.newBuilder().putInputs("text", texts.build());
    request.getModelSpecBuilder().setName("minilm");
    List<Float> values =
        PredictionServiceGrpc.newBlockingStub(channel)
            .predict(request.build())
            .getOutputsOrThrow("embedding")
            .getFloatValList();
    var all = new float[values.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = values.get(i);
    }
    assertEmbedded(all);
  }

  @Test
  void vectorsByGrpsAreThoseOfTheModelRunByHand() {
    var tensor =
        Map.of(
            "name",
            "text",
            "dtype",
            "DT_STRING",
            "shape",
            List.of(embedded.size()),
            "flat_string",
            texts());
    JsonNode answer =
        ask(
            "/grps/v1/infer/predict",
            Map.of("model", "minilm", "gtensors", Map.of("tensors", List.of(tensor))));
    assertEmbedded(floats(answer.at("/gtensors/tensors/0/flat_float32")));
  }

  @Test
  void pairsHaveScoresAndClassesHaveNames() {
    JsonNode ranked =
        ask(
            "/v2/models/ranker/infer",
            Map.of(
                "inputs",
                List.of(
                    input("query", List.of("a question")),
                    input("text", List.of("One", "Two words", "3")))));
    assertThat(ranked.at("/outputs/0/name").textValue()).isEqualTo("score");
    assertThat(floats(ranked.at("/outputs/0/data"))).hasSize(3).doesNotHaveDuplicates();
    JsonNode rows =
        ask("/v1/models/classifier:predict", Map.of("instances", List.of("One", "b")))
            .get("predictions");
    assertThat(rows.findValuesAsText("label")).containsExactly("yes", "no");
    assertThat(rows.get(0).get("score").doubleValue()).isBetween(1 / 15., 1.);
  }

  @Test
  void whatIsNoTextIsRefusedByName() {
    assertThat(infer("minilm", List.of("a", "")).json(400).get("error").textValue())
        .isEqualTo("input \"text\" has 0 bytes in element 1; wanted a text of 1 to 1048576 bytes");
    assertThat(infer("strict", List.of("as many tokens as letters")).json(400).get("error"))
        .hasToString(
            "\"input \\\"text\\\" has 16 tokens in element 0; wanted 1 to 8 (setting"
                + " encoder.max_tokens)\"");
    var notText = Map.of("b64", "/w==");
    assertThat(
            post("/v1/models/minilm:predict", Map.of("instances", List.of(notText)))
                .json(400)
                .get("error")
                .textValue())
        .isEqualTo("input \"text\" is not UTF-8 in element 0");
  }

  @Test
  void aBadTextIsNoHarmToThoseThatRunWithIt() throws Exception {
    float[] alone = floats(infer("tiny", List.of("One")).json(200).at("/outputs/0/data"));
    long before = TensorMemory.openBlocks();
    List<Future<String>> good = new ArrayList<>();
    List<Future<String>> bad = new ArrayList<>();
    try (var client = new PredictClient(server);
        var threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 200; i++) {
        good.add(threads.submit(() -> client.post("/v2/models/tiny/generate", ONE)));
        bad.add(threads.submit(() -> client.post("/v2/models/tiny/generate", NONE)));
      }
    }
    for (Future<String> answer : good) {
      assertThat(floats(JSON.readTree(answer.get()).get("embedding")))
          .containsExactly(alone, within(TOLERANCE));
    }
    for (Future<String> answer : bad) {
      assertThatThrownBy(answer::get).hasMessageMatching("(?s).* 400 .*element 0.*");
    }
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }
}
