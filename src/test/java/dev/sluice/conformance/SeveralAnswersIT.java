package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GenericTensor;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.GRPCInferenceServiceGrpc;
import dev.sluice.protocol.oip.grpc.proto.InferParameter;
import dev.sluice.protocol.oip.grpc.proto.InferTensorContents;
import dev.sluice.protocol.oip.grpc.proto.ModelInferRequest;
import dev.sluice.protocol.oip.grpc.proto.ModelInferResponse;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several answers to one prompt are the same in each protocol that asks for whole ones. */
class SeveralAnswersIT {
  private static final String PROMPT = "I am ";
  private static final String SAMPLED = "\"max_tokens\": 20, \"seed\": 5";

  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;
  private static List<String> expected;

  /** What is expected is the texts that OpenAI's interface has, whose rule for seeds holds. */
  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    JsonNode completion =
        http.answer(
            "/v1/completions",
            "{\"model\": \"writer\", \"prompt\": \"%s\", \"n\": 3, %s}".formatted(PROMPT, SAMPLED));
    expected = texts(completion.findValues("text"));
    assertThat(expected).hasSize(3).doesNotHaveDuplicates();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static List<String> texts(Iterable<JsonNode> texts) {
    List<String> all = new ArrayList<>();
    texts.forEach(text -> all.add(text.textValue()));
    return all;
  }

  private static JsonNode generated(String model, String members) {
    return http.answer("/v2/models/" + model + "/generate", "{" + members + "}");
  }

  private static Answer predict(String parameters) {
    return http.post(
        "/v1/models/writer:predict",
        "{\"instances\": [{\"text\": \"%s\"}], \"parameters\": {%s}}"
            .formatted(PROMPT, parameters));
  }

  @Test
  void generateHasAListOfEachOutput() {
    JsonNode answer = generated("writer", "\"text\": \"" + PROMPT + "\", \"n\": 3, " + SAMPLED);
    assertThat(texts(answer.get("text"))).isEqualTo(expected);
    assertThat(texts(answer.get("finish_reason"))).containsExactly("length", "length", "length");
    assertThat(answer.get("prompt_tokens").toString()).isEqualTo("[5,5,5]");
    assertThat(answer.get("completion_tokens").toString()).isEqualTo("[20,20,20]");
  }

  @Test
  void eachAnswerIsThatOfAStreamWithTheNextSeed() {
    for (int i = 0; i < 3; i++) {
      String alone = "\"text\": \"%s\", \"max_tokens\": 20, \"seed\": %d".formatted(PROMPT, 5 + i);
      assertThat(generated("writer", alone).get("text").textValue()).isEqualTo(expected.get(i));
    }
  }

  @Test
  void inferHasTensorsWithARowForEachAnswer() {
    String body =
        """
        {"parameters": {"n": 3, %s}, "outputs": [{"name": "text"}, {"name": "completion_tokens"}],
         "inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["%s"]}]}\
        """
            .formatted(SAMPLED, PROMPT);
    JsonNode answer = http.answer("/v2/models/writer/infer", body);
    assertThat(answer.at("/outputs/0/shape").toString()).isEqualTo("[3]");
    assertThat(texts(answer.at("/outputs/0/data"))).isEqualTo(expected);
    assertThat(answer.at("/outputs/1/data").toString()).isEqualTo("[20,20,20]");
  }

  @Test
  void v2OverGrpcHasThemToo() {
    ModelInferResponse answer =
        GRPCInferenceServiceGrpc.newBlockingStub(channel)
            .modelInfer(
                ModelInferRequest.newBuilder()
                    .setModelName("writer")
                    .putParameters("n", InferParameter.newBuilder().setInt64Param(3).build())
                    .putParameters("seed", InferParameter.newBuilder().setInt64Param(5).build())
                    .putParameters(
                        "max_tokens", InferParameter.newBuilder().setInt64Param(20).build())
                    .addInputs(
                        ModelInferRequest.InferInputTensor.newBuilder()
                            .setName("text")
                            .setDatatype("BYTES")
                            .addShape(1)
                            .setContents(
                                InferTensorContents.newBuilder()
                                    .addBytesContents(ByteString.copyFromUtf8(PROMPT))))
                    .build());
    assertThat(answer.getOutputs(0).getName()).isEqualTo("text");
    assertThat(answer.getOutputs(0).getShapeList()).containsExactly(3L);
    assertThat(strings(answer.getRawOutputContents(0))).isEqualTo(expected);
  }

  private static List<String> strings(ByteString raw) {
    ByteBuffer in = raw.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    List<String> strings = new ArrayList<>();
    while (in.hasRemaining()) {
      byte[] text = new byte[in.getInt()];
      in.get(text);
      strings.add(new String(text, StandardCharsets.UTF_8));
    }
    return strings;
  }

  @Test
  void v1HasAPredictionForEachAnswer() {
    JsonNode rows = predict("\"n\": 3, " + SAMPLED).json(200).get("predictions");
    assertThat(rows).hasSize(3);
    assertThat(texts(rows.findValues("text"))).isEqualTo(expected);
    assertThat(rows.at("/2/completion_tokens").intValue()).isEqualTo(20);
    JsonNode columns =
        http.answer(
            "/v1/models/writer:predict",
            "{\"inputs\": {\"text\": [\"%s\"]}, \"parameters\": {\"n\": 3, %s}}"
                .formatted(PROMPT, SAMPLED));
    assertThat(texts(columns.at("/outputs/text"))).isEqualTo(expected);
  }

  private static TensorProto.Builder tensor(DataType type, int... dims) {
    var shape = TensorShapeProto.newBuilder();
    for (int dim : dims) {
      shape.addDim(TensorShapeProto.Dim.newBuilder().setSize(dim));
    }
    return TensorProto.newBuilder().setDtype(type).setTensorShape(shape);
  }

  /** Clients of TensorFlow may have the seed as a fraction: the next one is the next number. */
  @Test
  void tensorflowServingOverGrpcHasThemToo() {
    PredictResponse answer =
        PredictionServiceGrpc.newBlockingStub(channel)
            .predict(
                PredictRequest.newBuilder()
                    .setModelSpec(ModelSpec.newBuilder().setName("writer"))
                    .putInputs(
                        "text",
                        tensor(DataType.DT_STRING, 1)
                            .addStringVal(ByteString.copyFromUtf8(PROMPT))
                            .build())
                    .putInputs("n", tensor(DataType.DT_INT32).addIntVal(3).build())
                    .putInputs("seed", tensor(DataType.DT_DOUBLE).addDoubleVal(5).build())
                    .putInputs("max_tokens", tensor(DataType.DT_INT32).addIntVal(20).build())
                    .build());
    TensorProto text = answer.getOutputsOrThrow("text");
    assertThat(text.getStringValList().stream().map(ByteString::toStringUtf8)).isEqualTo(expected);
    assertThat(text.getTensorShape().getDim(0).getSize()).isEqualTo(3);
  }

  @Test
  void grpsHasTensorsInPlaceOfAMap() {
    JsonNode answer =
        http.answer(
            "/grps/v1/infer/predict",
            """
            {"model": "writer", "gmap": {"s_s": {"text": "%s"}, "s_i64": {"seed": 5},
             "s_i32": {"n": 3, "max_tokens": 20}}}\
            """
                .formatted(PROMPT));
    assertThat(texts(answer.at("/gtensors/tensors/0/flat_string"))).isEqualTo(expected);
    GrpsMessage message =
        GrpsServiceGrpc.newBlockingStub(channel)
            .predict(
                GrpsMessage.newBuilder()
                    .setModel("writer")
                    .setGmap(
                        GenericMapData.newBuilder()
                            .putSS("text", PROMPT)
                            .putSI64("seed", 5)
                            .putSI32("n", 3)
                            .putSI32("max_tokens", 20))
                    .build());
    GenericTensor text = message.getGtensors().getTensors(0);
    assertThat(text.getShapeList()).containsExactly(3);
    assertThat(text.getFlatStringList()).isEqualTo(expected);
  }

  @Test
  void logProbabilitiesOfShorterAnswersArePadded() {
    String asked = "\"text\": \"" + PROMPT + "\", \"n\": 3, \"stop\": \"e\", \"logprobs\": 2, ";
    JsonNode answer = generated("writer", asked + SAMPLED);
    int[] tokens =
        answer.get("completion_tokens").valueStream().mapToInt(JsonNode::intValue).toArray();
    int longest = answer.get("tokens").size() / 3;
    assertThat(tokens).hasSize(3).contains(longest);
    assertThat(Arrays.stream(tokens).min().orElseThrow()).isLessThan(longest);
    assertThat(answer.get("top_tokens")).hasSize(3 * longest * 2);
    for (int i = 0; i < 3; i++) {
      for (int at = 0; at < longest; at++) {
        int place = i * longest + at;
        boolean there = at < tokens[i];
        assertThat(answer.at("/tokens/" + place).textValue().isEmpty()).isEqualTo(!there);
        assertThat(answer.at("/token_logprobs/" + place).doubleValue() == -9999).isEqualTo(!there);
        assertThat(answer.at("/top_logprobs/" + (2 * place + 1)).doubleValue() == -9999)
            .isEqualTo(!there);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "-1, -1", "33, 33", "1000, 1000", "1.5, 1.5", "true, true"})
  void anotherNumberOfAnswersIsRefused(String given, String shown) {
    String error = "parameter \"n\" is " + shown + "; wanted a whole number from 1 to 32";
    assertThat(predict("\"n\": " + given).json(400).get("error").textValue()).isEqualTo(error);
    String asked = "{\"text\": \"" + PROMPT + "\", \"n\": " + given + "}";
    for (String path : List.of("generate", "generate_stream")) {
      Answer refused = http.post("/v2/models/writer/" + path, asked);
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains(error.replace("\"", "\\\""));
    }
  }

  @Test
  void aNumberOfAnswersIsNoTextAndOneOfThemIsAsEver() {
    assertThat(predict("\"n\": \"three\"").json(400).get("error").textValue())
        .isEqualTo("parameter \"n\" is \"three\"; wanted a whole number from 1 to 32");
    JsonNode one = generated("writer", "\"text\": \"" + PROMPT + "\", \"n\": 1, " + SAMPLED);
    assertThat(one.get("text").textValue()).isEqualTo(expected.getFirst());
    assertThatThrownBy(() ->
            PredictionServiceGrpc.newBlockingStub(channel)
                .predict(
                    PredictRequest.newBuilder()
                        .setModelSpec(ModelSpec.newBuilder().setName("writer"))
                        .putInputs(
                            "text",
                            tensor(DataType.DT_STRING, 1).addStringVal(ByteString.EMPTY).build())
                        .putInputs("n", tensor(DataType.DT_INT32).addIntVal(0).build())
                        .build()))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("parameter \"n\" is 0; wanted a whole number from 1 to 32");
    Answer grps =
        http.post(
            "/grps/v1/infer/predict",
            "{\"model\": \"writer\", \"gmap\": {\"s_s\": {\"text\": \"a\"}, \"s_i32\": {\"n\":"
                + " 40}}}");
    assertThat(Objects.requireNonNull(grps.json(400).at("/status/msg").textValue()))
        .contains("parameter \"n\" is 40; wanted a whole number from 1 to 32");
  }
}
