package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completions of a text by the interface of OpenAI. */
class CompletionsIT {
  private static final Path SAMPLES = Path.of("src/sample/models");
  private static final String ASKED =
      "\"model\": \"writer\", \"prompt\": \"My dear Mr. \", \"temperature\": 0, \"max_tokens\": 8";

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() {
    server = RunningServer.start(SAMPLES);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer complete(String members) {
    return http.send("POST", "/v1/completions", Buffer.buffer("{" + members + "}"));
  }

  private static List<String> events(Answer answer) {
    return answer
        .text()
        .lines()
        .filter(line -> line.startsWith("data: "))
        .map(line -> line.substring("data: ".length()))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/completions", "/openai/v1/completions"})
  void aWholeAnswerIsWhatTheModelSaysToOthers(String path) {
    Answer answer = http.send("POST", path, Buffer.buffer("{" + ASKED + "}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode completion = Json.read(answer.text());
    JsonNode generated =
        Json.read(
            http.send(
                    "POST",
                    "/v2/models/writer/generate",
                    Buffer.buffer(
                        "{\"text\": \"My dear Mr. \", \"temperature\": 0, \"max_tokens\": 8}"))
                .text());
    assertThat(completion.at("/choices/0/text")).isEqualTo(generated.get("text"));
    assertThat(completion.get("choices")).hasSize(1);
    assertThat(completion.at("/choices/0/finish_reason").textValue()).isEqualTo("length");
    assertThat(completion.at("/usage/prompt_tokens").intValue()).isEqualTo(12);
    assertThat(completion.at("/usage/completion_tokens").intValue()).isEqualTo(8);
    assertThat(completion.at("/usage/total_tokens").intValue()).isEqualTo(20);
    assertThat(completion.get("object").textValue()).isEqualTo("text_completion");
    assertThat(completion.get("model").textValue()).isEqualTo("writer");
    assertThat(completion.get("id").textValue()).startsWith("cmpl-");
  }

  @Test
  void aStreamEndsWithItsUsageAndIsDone() {
    String whole = Json.read(complete(ASKED).text()).at("/choices/0/text").textValue();
    Answer answer =
        complete(ASKED + ", \"stream\": true, \"stream_options\": {\"include_usage\": true}");
    assertThat(answer.contentType()).startsWith("text/event-stream");
    List<String> events = events(answer);
    assertThat(events.getLast()).isEqualTo("[DONE]");
    List<JsonNode> chunks = events.subList(0, events.size() - 1).stream().map(Json::read).toList();
    JsonNode last = chunks.getLast();
    assertThat(last.get("choices")).isEmpty();
    assertThat(last.at("/usage/total_tokens").intValue()).isEqualTo(20);
    List<JsonNode> spoken = chunks.subList(0, chunks.size() - 1);
    assertThat(spoken).hasSize(8).allMatch(chunk -> chunk.get("usage").isNull());
    assertThat(
            spoken.stream()
                .map(chunk -> chunk.at("/choices/0/text").textValue())
                .collect(Collectors.joining()))
        .isEqualTo(whole);
    assertThat(spoken.getLast().at("/choices/0/finish_reason").textValue()).isEqualTo("length");
    assertThat(chunks).extracting(chunk -> chunk.get("id")).containsOnly(last.get("id"));
  }

  @Test
  void aStreamHasNoUsageUnlessItIsWanted() {
    assertThat(complete(ASKED + ", \"stream\": true").text()).doesNotContain("usage");
  }

  @Test
  void aStopStringEndsTheText() {
    JsonNode completion = Json.read(complete(ASKED + ", \"stop\": [\"house\", \"hous\"]").text());
    assertThat(completion.at("/choices/0/text").textValue()).isEqualTo("Wood");
    assertThat(completion.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
  }

  @Test
  void aSeedMakesAnAnswerRepeatable() {
    String seeded = "\"model\": \"writer\", \"prompt\": \"I am \", \"seed\": 5, \"max_tokens\": 40";
    JsonNode once = Json.read(complete(seeded).text()).get("choices");
    assertThat(Json.read(complete(seeded).text()).get("choices")).isEqualTo(once);
  }

  private static JsonNode error(Answer answer, int status) {
    return answer.json(status).get("error");
  }

  @Test
  void aMistakeNamesTheParameter() {
    JsonNode ours = error(complete(ASKED + ", \"n\": 33"), 400);
    assertThat(ours.get("param").textValue()).isEqualTo("n");
    assertThat(ours.get("type").textValue()).isEqualTo("invalid_request_error");
    JsonNode sampler = error(complete(ASKED.replace(": 0", ": -1")), 400);
    assertThat(sampler.get("param").textValue()).isEqualTo("temperature");
    JsonNode model = error(complete(ASKED.replace("writer", "half_plus_two")), 400);
    assertThat(model.get("param").textValue()).isEqualTo("model");
  }

  @Test
  void aStreamThatIsRefusedIsAnsweredAsAnyOtherRequest() {
    Answer answer = complete(ASKED.replace(": 0", ": -1") + ", \"stream\": true");
    assertThat(error(answer, 400).get("param").textValue()).isEqualTo("temperature");
    assertThat(answer.contentType()).isEqualTo("application/json");
  }

  @Test
  void anUnknownModelIsNotFound() {
    assertThat(error(complete(ASKED.replace("writer", "nobody")), 404).get("message").textValue())
        .contains("'nobody'");
    error(http.send("GET", "/openai/v1/models/nobody", Buffer.buffer()), 404);
  }

  @Test
  void anotherMethodIsNotAllowed() {
    error(http.send("GET", "/v1/completions", Buffer.buffer()), 405);
  }

  @Test
  void modelsAreListed() {
    JsonNode list = Json.read(http.send("GET", "/openai/v1/models", Buffer.buffer()).text());
    assertThat(list.get("object").textValue()).isEqualTo("list");
    assertThat(list.findValuesAsText("id")).contains("writer", "half_plus_two");
    JsonNode one = Json.read(http.send("GET", "/openai/v1/models/writer", Buffer.buffer()).text());
    assertThat(one.get("id").textValue()).isEqualTo("writer");
  }

  private static JsonNode get(HttpCaller caller, String path) {
    return caller.send("GET", path, Buffer.buffer()).json(200);
  }

  @Test
  void whatV1SaysOfModelsHasTheMembersOfBoth() {
    JsonNode list = get(http, "/v1/models");
    assertThat(list.fieldNames()).toIterable().containsExactly("models", "object", "data");
    assertThat(list.get("models").valueStream().map(JsonNode::textValue))
        .isEqualTo(list.get("data").findValuesAsText("id"));
    JsonNode one = get(http, "/v1/models/writer");
    assertThat(one.fieldNames())
        .toIterable()
        .contains("model_version_status", "ready", "id", "created", "owned_by");
    assertThat(get(http, "/v1/models/writer/versions/1").has("id")).isFalse();
    assertThat(http.send("GET", "/v1/models/nobody", Buffer.buffer()).status()).isEqualTo(404);
  }

  @Test
  void aListenerOfTensorflowServingListsThemForThisInterfaceAlone() {
    try (RunningServer server = speaking(Set.of(Protocol.OPENAI, Protocol.TFS));
        HttpCaller caller = new HttpCaller(server.port())) {
      assertThat(get(caller, "/v1/models").fieldNames())
          .toIterable()
          .containsExactly("object", "data");
    }
  }

  private static RunningServer speaking(Set<Protocol> protocols) {
    return RunningServer.start(
        RecordCopy.with(
            RunningServer.settings(SAMPLES),
            "listeners",
            List.of(RunningServer.listener(protocols))));
  }

  @Test
  void aListenerWithoutV1HasTheModelsThereToo() {
    try (RunningServer alone = speaking(Set.of(Protocol.OPENAI));
        HttpCaller caller = new HttpCaller(alone.port())) {
      for (String path : List.of("/v1/models", "/openai/v1/models")) {
        JsonNode list = Json.read(caller.send("GET", path, Buffer.buffer()).text());
        assertThat(list.findValuesAsText("id")).as(path).contains("writer");
      }
    }
  }

  @Test
  void pathsThatThereAreNotHaveTheFormOfItsErrorsWhereV1IsItsAlone() {
    try (RunningServer alone = speaking(Set.of(Protocol.OPENAI));
        HttpCaller caller = new HttpCaller(alone.port())) {
      for (String path : List.of("/v1/files", "/v1", "/v1/models/a/b", "/openai/v1/files")) {
        Answer answer = caller.send("GET", path, Buffer.buffer());
        assertThat(answer.status()).as(path).isEqualTo(404);
        JsonNode error = Json.read(answer.text()).get("error");
        assertThat(error.get("type").textValue()).as(path).isEqualTo("invalid_request_error");
        assertThat(error.get("code").textValue()).as(path).isEqualTo("not_found");
      }
    }
  }

  private static final String SAMPLED =
      "\"model\": \"writer\", \"temperature\": 1, \"max_tokens\": 20, ";

  private static List<String> texts(JsonNode completion) {
    return completion
        .get("choices")
        .valueStream()
        .map(choice -> choice.get("text").textValue())
        .toList();
  }

  @Test
  void eachOfSeveralAnswersHasTheNextSeed() {
    JsonNode several =
        Json.read(complete(SAMPLED + "\"prompt\": \"I am \", \"seed\": 5, \"n\": 3").text());
    List<String> alone =
        Stream.of(5, 6, 7)
            .map(seed -> complete(SAMPLED + "\"prompt\": \"I am \", \"seed\": " + seed))
            .map(answer -> texts(Json.read(answer.text())).getFirst())
            .toList();
    assertThat(texts(several)).isEqualTo(alone).doesNotHaveDuplicates();
    assertThat(several.get("choices").findValuesAsText("index")).containsExactly("0", "1", "2");
    assertThat(several.at("/usage/prompt_tokens").intValue()).isEqualTo(5);
    assertThat(several.at("/usage/completion_tokens").intValue()).isEqualTo(60);
  }

  @Test
  void severalPromptsAreAnsweredInTheirOrder() {
    String asked = "\"seed\": 5, \"n\": 2, \"prompt\": ";
    JsonNode both = Json.read(complete(SAMPLED + asked + "[\"I am \", \"She said \"]").text());
    List<String> one = texts(Json.read(complete(SAMPLED + asked + "\"I am \"").text()));
    List<String> other = texts(Json.read(complete(SAMPLED + asked + "\"She said \"").text()));
    assertThat(texts(both)).isEqualTo(Stream.concat(one.stream(), other.stream()).toList());
    assertThat(both.at("/usage/prompt_tokens").intValue()).isEqualTo(5 + 9);
    assertThat(both.at("/usage/completion_tokens").intValue()).isEqualTo(80);
  }

  @Test
  void severalAnswersAreStreamedSideBySide() {
    String asked = SAMPLED + "\"prompt\": [\"I am \", \"She said \"], \"seed\": 5, \"n\": 2";
    JsonNode whole = Json.read(complete(asked).text());
    List<String> events =
        events(
            complete(asked + ", \"stream\": true, \"stream_options\": {\"include_usage\": true}"));
    assertThat(events).last().isEqualTo("[DONE]");
    var streamed = new ArrayList<>(List.of("", "", "", ""));
    var ended = new ArrayList<Integer>();
    for (String event : events.subList(0, events.size() - 2)) {
      JsonNode choice = Json.read(event).at("/choices/0");
      int index = choice.get("index").intValue();
      streamed.set(index, streamed.get(index) + choice.get("text").textValue());
      if (!choice.get("finish_reason").isNull()) {
        ended.add(index);
      }
    }
    assertThat(streamed).isEqualTo(texts(whole));
    assertThat(ended).containsExactlyInAnyOrder(0, 1, 2, 3);
    assertThat(Json.read(events.get(events.size() - 2)).get("usage")).isEqualTo(whole.get("usage"));
  }

  @Test
  void anEchoHasThePromptInFrontOfEachAnswer() {
    String plain = texts(Json.read(complete(ASKED).text())).getFirst();
    String echoed = ASKED + ", \"echo\": true";
    assertThat(texts(Json.read(complete(echoed).text()))).containsExactly("My dear Mr. " + plain);
    List<String> events = events(complete(echoed + ", \"stream\": true"));
    assertThat(
            events.subList(0, events.size() - 1).stream()
                .map(event -> Json.read(event).at("/choices/0/text").textValue())
                .collect(Collectors.joining()))
        .isEqualTo("My dear Mr. " + plain);
  }

  private static final String ONE_TOO_LONG =
      SAMPLED + "\"n\": 3, \"prompt\": [\"a\", \"" + "x".repeat((1 << 16) + 1) + "\", \"b\"]";

  @Test
  void onePromptThatCannotBeAnsweredRefusesAllAndLeavesNothing() {
    long before = TensorMemory.openBlocks();
    assertThat(error(complete(ONE_TOO_LONG), 400).get("message").textValue())
        .contains("has 65537 characters");
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  /** Whether the others have begun when it is found decides where its error is told. */
  @Test
  void onePromptThatCannotBeAnsweredEndsAllStreamsAndLeavesNothing() {
    long before = TensorMemory.openBlocks();
    Answer answer = complete(ONE_TOO_LONG + ", \"stream\": true");
    assertThat(answer.status()).isIn(200, 400);
    String error = answer.status() == 400 ? answer.text() : events(answer).getLast();
    assertThat(Json.read(error).at("/error/message").textValue()).contains("has 65537 characters");
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void aClientThatLeavesEndsAllItsStreams(String streamed) throws IOException {
    long before = TensorMemory.openBlocks();
    String body =
        "{\"model\": \"writer\", \"max_tokens\": 900, \"prompt\": \"I am \", \"n\": 8, \"stream\": "
            + streamed
            + "}";
    try (var socket = new Socket("localhost", server.port())) {
      String head =
          "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length();
      socket
          .getOutputStream()
          .write((head + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
      Polling.await("tensors of the streams", () -> TensorMemory.openBlocks() > before + 8);
    }
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }
}
