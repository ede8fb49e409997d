package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.protocol.tfs.grpc.proto.PredictRequest;
import dev.sluice.protocol.tfs.grpc.proto.PredictResponse;
import dev.sluice.protocol.tfs.grpc.proto.PredictionServiceGrpc;
import dev.sluice.protocol.tfs.grpc.proto.TensorProto;
import dev.sluice.protocol.tfs.grpc.proto.TensorShapeProto;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sampling parameters of one request mean the same in each protocol that asks for a text. */
class SamplingParametersIT {
  private static final String PROMPT = "My dear Mr. ";

  private static RunningServer server;
  private static HttpCaller http;
  private static ManagedChannel channel;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
    http = new HttpCaller(server.port());
    channel = ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    http.close();
    server.close();
  }

  private static JsonNode answer(String path, String body) {
    return http.send("POST", path, Buffer.buffer(body)).json(200);
  }

  private static String error(String body) {
    return http.send("POST", "/v1/models/writer:predict", Buffer.buffer(body))
        .json(400)
        .get("error")
        .textValue();
  }

  private static String byV2(String parameters) {
    String body = "{\"text\": \"%s\", \"parameters\": {%s}}".formatted(PROMPT, parameters);
    return answer("/v2/models/writer/generate", body).get("text").textValue();
  }

  private static TensorProto.Builder scalar(DataType type) {
    return TensorProto.newBuilder()
        .setDtype(type)
        .setTensorShape(TensorShapeProto.getDefaultInstance());
  }

  private static TensorProto text(String text) {
    return scalar(DataType.DT_STRING).addStringVal(ByteString.copyFromUtf8(text)).build();
  }

  private static TensorProto number(double value) {
    return scalar(DataType.DT_DOUBLE).addDoubleVal(value).build();
  }

  private static TensorProto number(int value) {
    return scalar(DataType.DT_INT32).addIntVal(value).build();
  }

  private static PredictResponse byGrpc(Map<String, TensorProto> parameters) {
    var prompt =
        text(PROMPT).toBuilder()
            .setTensorShape(
                TensorShapeProto.newBuilder().addDim(TensorShapeProto.Dim.newBuilder().setSize(1)));
    return PredictionServiceGrpc.newBlockingStub(channel)
        .predict(
            PredictRequest.newBuilder()
                .setModelSpec(ModelSpec.newBuilder().setName("writer"))
                .putInputs("text", prompt.build())
                .putAllInputs(parameters)
                .build());
  }

  private static String text(PredictResponse response) {
    return response.getOutputsOrThrow("text").getStringVal(0).toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 1", "0.8, 5, 1", "0.8, 0, 0.9"})
  void aSampledTextIsTheSameByEachProtocol(double temperature, int topK, double topP) {
    String parameters =
        "\"max_tokens\": 40, \"seed\": 7, \"temperature\": %s, \"top_k\": %d, \"top_p\": %s"
            .formatted(temperature, topK, topP);
    String expected = byV2(parameters);
    assertThat(expected).hasSizeGreaterThanOrEqualTo(40);
    JsonNode rows =
        answer(
            "/v1/models/writer:predict",
            "{\"instances\": [{\"text\": \"%s\"}], \"parameters\": {%s}}"
                .formatted(PROMPT, parameters));
    assertThat(rows.at("/predictions/0/text").textValue()).isEqualTo(expected);
    JsonNode columns =
        answer(
            "/v1/models/writer:predict",
            "{\"parameters\": {%s}, \"inputs\": {\"text\": [\"%s\"]}}"
                .formatted(parameters, PROMPT));
    assertThat(columns.at("/outputs/text/0").textValue()).isEqualTo(expected);
    assertThat(
            text(
                byGrpc(
                    Map.of(
                        "max_tokens", number(40),
                        "seed", number(7),
                        "temperature", number(temperature),
                        "top_k", number(topK),
                        "top_p", number(topP)))))
        .isEqualTo(expected);
  }

  @Test
  void stopStringsAreAListInJsonAndItsTextElsewhere() {
    String whole = byV2("\"max_tokens\": 40, \"temperature\": 0");
    String stop = whole.substring(10, 12);
    String expected = whole.substring(0, whole.indexOf(stop));
    String parameters = "\"temperature\": 0, \"stop\": [\"%s\", \"\\u0007\"]".formatted(stop);
    assertThat(byV2(parameters)).isEqualTo(expected);
    JsonNode rows =
        answer(
            "/v1/models/writer:predict",
            "{\"instances\": [{\"text\": \"%s\"}], \"parameters\": {%s}}"
                .formatted(PROMPT, parameters));
    assertThat(rows.at("/predictions/0/text").textValue()).isEqualTo(expected);
    assertThat(text(byGrpc(Map.of("temperature", number(0), "stop", text("[\"" + stop + "\"]")))))
        .isEqualTo(expected);
  }

  @Test
  void aParameterThatTheModelDoesNotKnowIsRefusedWithThoseThatItDoes() {
    assertThat(error("{\"instances\": [{\"text\": \"x\"}], \"parameters\": {\"temprature\": 1}}"))
        .startsWith("parameters has \"temprature\", which model writer does not know; it knows: ")
        .contains("frequency_penalty", "max_tokens", "temperature");
    assertThat(error("{\"instances\": [{\"text\": \"x\"}], \"parameters\": [1]}"))
        .isEqualTo("parameters is [1]; wanted an object");
    assertThat(error("{\"instances\": [{\"text\": \"x\"}], \"parameters\": {\"seed\": [1]}}"))
        .isEqualTo("parameter \"seed\" is [1]; wanted a number, text, true or false");
    assertThat(error("{\"instances\": [{\"text\": \"x\"}], \"parameters\": {\"temperature\": -1}}"))
        .isEqualTo("parameter \"temperature\" is -1; wanted a number from 0 to 1000");
  }

  @Test
  void noParametersAreNothingToAnyModel() {
    assertThat(
            answer(
                    "/v1/models/writer:predict",
                    "{\"instances\": [{\"text\": \"x\"}], \"parameters\": null}")
                .at("/predictions/0/finish_reason")
                .textValue())
        .isEqualTo("length");
    assertThat(
            answer(
                    "/v1/models/half_plus_two:predict",
                    "{\"instances\": [2.0], \"parameters\": {\"content_type\": [\"np\"]}}")
                .at("/predictions/0")
                .doubleValue())
        .isEqualTo(3);
  }

  @Test
  void aFurtherInputIsAParameterOnlyIfTheModelKnowsItAndItIsOneValue() {
    refused(Map.of("temprature", number(1.0)), "request input: temprature,text");
    refused(
        Map.of(
            "seed",
            number(1).toBuilder()
                .setTensorShape(
                    TensorShapeProto.newBuilder()
                        .addDim(TensorShapeProto.Dim.newBuilder().setSize(2)))
                .build()),
        "input \"seed\" has shape [2]; as a parameter of the model it is one float");
    refused(
        Map.of("temperature", text("hot")),
        "parameter \"temperature\" is \"hot\"; wanted a number from 0 to 1000");
  }

  private static void refused(Map<String, TensorProto> parameters, String text) {
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> byGrpc(parameters))
        .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT))
        .withMessageContaining(text);
  }

  @Test
  void logProbabilitiesOfAskedTokensComeByGrpcToo() {
    JsonNode expected =
        answer(
            "/v2/models/writer/generate",
            "{\"text\": \"%s\", \"temperature\": 0, \"max_tokens\": 3, \"logprobs\": 2}"
                .formatted(PROMPT));
    PredictResponse response =
        byGrpc(Map.of("temperature", number(0), "max_tokens", number(3), "logprobs", number(2)));
    TensorProto top = response.getOutputsOrThrow("top_logprobs");
    assertThat(top.getTensorShape().getDimList())
        .extracting(TensorShapeProto.Dim::getSize)
        .containsExactly(1L, 3L, 2L);
    assertThat(response.getOutputsOrThrow("tokens").getStringValList())
        .extracting(ByteString::toStringUtf8)
        .hasSize(3)
        .element(0)
        .isEqualTo(expected.at("/tokens/0").textValue());
  }
}
