package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.protocol.grps.grpc.proto.GenericMapData;
import dev.sluice.protocol.grps.grpc.proto.GrpsMessage;
import dev.sluice.protocol.grps.grpc.proto.GrpsServiceGrpc;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Poet;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The streams of several answers to one prompt: side by side, and ended together. */
class SeveralStreamsIT {
  private static final Path WRITER = Path.of("src/sample/models/writer");
  private static final String ASKED = "\"text\": \"I am \", \"n\": 3, \"seed\": 5";

  private static RunningServer server;
  private static HttpCaller http;

  private long blocksBefore;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TestModels.copy(WRITER, models.resolve("writer"));
    TestModels.copy(WRITER, models.resolve("narrow"));
    Files.writeString(
        models.resolve("narrow/model.yml"), "  max_streams: 2\n", StandardOpenOption.APPEND);
    Poet.write(models);
    String question = "{ model: poet, inputs: { text: question }, outputs: { text: answer } }";
    TestModels.ensemble(models, "recital", question);
    TestModels.ensemble(
        models,
        "echoes",
        question + ", { model: poet, inputs: { text: answer }, outputs: { text: echo } }");
    StepModels.decoder(models, "numbers", "");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  @BeforeEach
  void count() {
    blocksBefore = TensorMemory.openBlocks();
  }

  @AfterEach
  void nothingStays() {
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= blocksBefore);
  }

  private static List<String> whole(String members) {
    List<String> texts = new ArrayList<>();
    http.answer("/v2/models/writer/generate", "{" + members + "}")
        .get("text")
        .forEach(text -> texts.add(text.textValue()));
    return texts;
  }

  @Test
  void eachMessageSaysWhichAnswerItIsAPieceOf() {
    String asked = ASKED + ", \"max_tokens\": 20";
    var texts = new ArrayList<>(List.of("", "", ""));
    var ended = new ArrayList<Integer>();
    for (JsonNode event :
        http.post("/v2/models/writer/generate_stream", "{" + asked + "}").events()) {
      int index = event.get("index").intValue();
      texts.set(index, texts.get(index) + event.get("text").textValue());
      if (event.has("finish_reason")) {
        assertThat(event.get("completion_tokens").intValue()).isEqualTo(20);
        ended.add(index);
      }
    }
    assertThat(texts).isEqualTo(whole(asked)).doesNotHaveDuplicates();
    assertThat(ended).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void grpsStreamsThemToo() {
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
    var map =
        GenericMapData.newBuilder()
            .putSS("text", "I am ")
            .putSI32("n", 3)
            .putSI32("seed", 5)
            .putSI32("max_tokens", 20);
    var texts = new ArrayList<>(List.of("", "", ""));
    GrpsServiceGrpc.newBlockingStub(channel)
        .predictStreaming(GrpsMessage.newBuilder().setModel("writer").setGmap(map).build())
        .forEachRemaining(message -> {
          int index = (int) message.getGmap().getSI64OrThrow("index");
          texts.set(index, texts.get(index) + message.getGmap().getSSOrThrow("text"));
        });
    channel.shutdownNow();
    assertThat(texts).isEqualTo(whole(ASKED + ", \"max_tokens\": 20"));
  }

  @Test
  void oneAnswerHasNoNumber() {
    Answer answer =
        http.post(
            "/v2/models/writer/generate_stream",
            "{\"text\": \"I am \", \"n\": 1, \"max_tokens\": 3}");
    assertThat(answer.events()).isNotEmpty().noneMatch(event -> event.has("index"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "generate_stream"})
  void moreThanTheModelHasStreamsForAreRefusedAndLeaveNothing(String call) {
    Answer refused =
        http.post(
            "/v2/models/narrow/" + call, "{\"text\": \"I am \", \"n\": 3, \"max_tokens\": 900}");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text()).contains("has 2 streams already (setting stream.max_streams)");
    nothingStays();
    assertThat(
            http.answer(
                    "/v2/models/narrow/generate",
                    "{\"text\": \"I am \", \"n\": 2, \"max_tokens\": 3}")
                .get("text"))
        .hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "generate_stream"})
  void oneThatCannotBeginEndsThemAll(String call) {
    Answer refused =
        http.post("/v2/models/writer/" + call, "{\"text\": \"\", \"n\": 8, \"steps\": 900}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text()).contains("input \\\"text\\\" is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"generate", "generate_stream"})
  void aClientThatLeavesEndsThemAll(String call) throws IOException {
    String body = "{\"text\": \"I am \", \"n\": 8, \"steps\": 900}";
    try (var socket = new Socket("localhost", server.port())) {
      String head =
          "POST /v2/models/writer/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
              .formatted(call, body.length());
      socket.getOutputStream().write((head + body).getBytes(StandardCharsets.US_ASCII));
      Polling.await("tensors of the streams", () -> TensorMemory.openBlocks() > blocksBefore + 8);
    }
  }

  @Test
  void theDeadlineEndsThemAll() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Request-Timeout", "30ms");
    Answer late =
        http.send(
            "POST",
            "/v2/models/writer/generate",
            headers,
            Buffer.buffer("{\"text\": \"I am \", \"n\": 32, \"steps\": 1000}"));
    assertThat(late.json(504).get("error").textValue()).startsWith("Request timeout expired");
  }

  @Test
  void anEnsembleOfTextAnswersAsOftenAsItsModel() {
    String asked = "{\"question\": \"Say it.\", \"n\": 2}";
    JsonNode whole = http.answer("/v2/models/recital/generate", asked);
    assertThat(whole.get("answer").toString())
        .isEqualTo("[\"%1$s\",\"%1$s\"]".formatted(Poet.SAID));
    var texts = new ArrayList<>(List.of("", ""));
    for (JsonNode event : http.post("/v2/models/recital/generate_stream", asked).events()) {
      int index = event.get("index").intValue();
      texts.set(index, texts.get(index) + event.get("answer").textValue());
    }
    assertThat(texts).containsExactly(Poet.SAID, Poet.SAID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          numbers | "ids": [1, 2]
          """)
  void aModelWhoseAnswersCouldNotBeToldApartHasOneInAStream(String model, String input) {
    Answer refused =
        http.post("/v2/models/" + model + "/generate_stream", "{" + input + ", \"n\": 2}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text())
        .contains("parameter \\\"n\\\" is 2; wanted 1: open a stream for each answer");
  }
}
