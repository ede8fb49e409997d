package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses by the interface of OpenAI, as Open Responses describes it. */
class ResponsesIT {
  private static final String ASKED =
      "\"model\": \"chat\", \"temperature\": 0, \"input\": \"What is the capital of France?\"";
  private static final String SAID = "The capital of France is Paris.";

  /** Those that Open Responses requires of every response. */
  private static final List<String> MEMBERS =
      List.of(
          "id",
          "object",
          "created_at",
          "completed_at",
          "status",
          "incomplete_details",
          "model",
          "previous_response_id",
          "instructions",
          "output",
          "error",
          "tools",
          "tool_choice",
          "truncation",
          "parallel_tool_calls",
          "text",
          "top_p",
          "presence_penalty",
          "frequency_penalty",
          "top_logprobs",
          "temperature",
          "reasoning",
          "user",
          "usage",
          "max_output_tokens",
          "max_tool_calls",
          "store",
          "background",
          "service_tier",
          "metadata",
          "safety_identifier",
          "prompt_cache_key");

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() {
    server = RunningServer.start(Path.of("src/sample/models"));
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer respond(String members) {
    return http.send("POST", "/v1/responses", Buffer.buffer("{" + members + "}"));
  }

  private static JsonNode answered(String members) {
    return respond(members).json(200);
  }

  private static JsonNode error(Answer answer, int status) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.contentType()).isEqualTo("application/json");
    return Json.read(answer.text()).get("error");
  }

  /** Returns the events in front of the one that says that all were sent. */
  private static List<JsonNode> events(String members) {
    Answer answer = respond(members + ", \"stream\": true");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.contentType()).startsWith("text/event-stream");
    assertThat(answer.text()).endsWith("\n\ndata: [DONE]\n\n");
    List<JsonNode> events = new ArrayList<>();
    for (String event : answer.text().replace("data: [DONE]\n\n", "").split("\n\n", -1)) {
      if (!event.isEmpty()) {
        List<String> lines = event.lines().toList();
        assertThat(lines).hasSize(2);
        JsonNode data = Json.read(lines.get(1).substring("data: ".length()));
        assertThat(lines.getFirst()).isEqualTo("event: " + data.get("type").textValue());
        events.add(data);
      }
    }
    return events;
  }

  private static List<String> types(List<JsonNode> events) {
    return events.stream().map(event -> event.get("type").textValue()).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/responses", "/openai/v1/responses"})
  void aResponseHasAMessageAndEveryRequiredMember(String path) {
    Answer answer = http.send("POST", path, Buffer.buffer("{" + ASKED + "}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode response = Json.read(answer.text());
    assertThat(response.fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(MEMBERS);
    assertThat(response.get("object").textValue()).isEqualTo("response");
    assertThat(response.get("id").textValue()).startsWith("resp_");
    assertThat(response.get("status").textValue()).isEqualTo("completed");
    assertThat(response.get("completed_at").longValue())
        .isGreaterThanOrEqualTo(response.get("created_at").longValue());
    assertThat(response.get("output")).hasSize(1);
    JsonNode message = response.at("/output/0");
    assertThat(message.get("type").textValue()).isEqualTo("message");
    assertThat(message.get("role").textValue()).isEqualTo("assistant");
    assertThat(message.get("status").textValue()).isEqualTo("completed");
    assertThat(message.get("id").textValue()).startsWith("msg_");
    assertThat(message.get("content"))
        .isEqualTo(
            Json.read(
                """
                [{"type": "output_text", "text": "%s", "annotations": [], "logprobs": []}]\
                """
                    .formatted(SAID)));
    assertThat(response.at("/usage/total_tokens").intValue())
        .isEqualTo(
            response.at("/usage/input_tokens").intValue()
                + response.at("/usage/output_tokens").intValue());
  }

  @Test
  void aResponseIsTheAnswerOfAConversation() {
    String instructions = "\"instructions\": \"Be kind.\", ";
    JsonNode response = answered(instructions + ASKED);
    JsonNode chat =
        Json.read(
            http.send(
                    "POST",
                    "/v1/chat/completions",
                    Buffer.buffer(
                        """
                        {"model": "chat", "temperature": 0, "messages": [
                          {"role": "system", "content": "Be kind."},
                          {"role": "user", "content": "What is the capital of France?"}]}\
                        """))
                .text());
    assertThat(response.at("/output/0/content/0/text"))
        .isEqualTo(chat.at("/choices/0/message/content"));
    assertThat(response.at("/usage/input_tokens")).isEqualTo(chat.at("/usage/prompt_tokens"));
    assertThat(response.get("instructions").textValue()).isEqualTo("Be kind.");
  }

  @Test
  void itemsAreTheTurnsOfAConversation() {
    String items =
        """
        "model": "chat", "temperature": 0, "store": true, "metadata": {"a": "b"}, "input": [
          {"type": "message", "role": "user", "content": "Hi"},
          {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
           "content": [{"type": "output_text", "text": "Hello!", "annotations": []}]},
          {"role": "user", "content": [
            {"type": "input_text", "text": "What is the capital of France?"}]}]\
        """;
    JsonNode response = answered(items);
    assertThat(response.at("/output/0/content/0/text").textValue()).isEqualTo(SAID);
    assertThat(response.get("metadata")).isEqualTo(Json.read("{\"a\": \"b\"}"));
    assertThat(response.get("store").booleanValue()).isFalse();
  }

  @Test
  void eventsComeInTheOrderOfOpenResponses() {
    JsonNode whole = answered(ASKED);
    List<JsonNode> events = events(ASKED);
    List<String> types = types(events);
    int end = types.size() - 4;
    assertThat(types.subList(0, 4))
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added");
    assertThat(types.subList(4, end))
        .hasSizeGreaterThan(2)
        .containsOnly("response.output_text.delta");
    assertThat(types.subList(end, types.size()))
        .containsExactly(
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed");
    assertThat(events)
        .extracting(event -> event.get("sequence_number").intValue())
        .isEqualTo(IntStream.range(0, events.size()).boxed().toList());
    assertThat(
            events.subList(4, end).stream()
                .map(event -> event.get("delta").textValue())
                .collect(Collectors.joining()))
        .isEqualTo(events.get(end).get("text").textValue())
        .isEqualTo(SAID);
    JsonNode completed = events.getLast().get("response");
    assertThat(completed.get("output")).hasSize(1);
    JsonNode item = completed.at("/output/0");
    assertThat(item.get("content")).isEqualTo(whole.at("/output/0/content"));
    assertThat(completed.get("usage")).isEqualTo(whole.get("usage"));
    assertThat(events.get(types.size() - 2).get("item")).isEqualTo(item);
    assertThat(events.subList(3, end + 2))
        .allMatch(event -> event.get("item_id").equals(item.get("id")));
    JsonNode created = events.getFirst().get("response");
    assertThat(created.get("status").textValue()).isEqualTo("in_progress");
    assertThat(created.get("output")).isEmpty();
    assertThat(created.get("id")).isEqualTo(completed.get("id"));
  }

  @Test
  void anAnswerThatIsCutIsIncomplete() {
    String cut = ASKED + ", \"max_output_tokens\": 2";
    JsonNode response = answered(cut);
    assertThat(response.get("status").textValue()).isEqualTo("incomplete");
    assertThat(response.at("/incomplete_details/reason").textValue())
        .isEqualTo("max_output_tokens");
    assertThat(response.get("completed_at").isNull()).isTrue();
    assertThat(response.at("/output/0/status").textValue()).isEqualTo("incomplete");
    assertThat(response.at("/output/0/content/0/text").textValue()).isEqualTo("The capital");
    assertThat(response.get("max_output_tokens").intValue()).isEqualTo(2);
    JsonNode last = events(cut).getLast();
    assertThat(last.get("type").textValue()).isEqualTo("response.incomplete");
    assertThat(last.at("/response/output/0/content")).isEqualTo(response.at("/output/0/content"));
  }

  @Test
  void aTextHasTheFormThatIsAskedFor() {
    JsonNode response =
        answered(
            ASKED
                + """
                , "text": {"format": {"type": "json_schema", "name": "yes", "schema":
                  {"type": "object", "properties": {"yes": {"const": true}}, "required": ["yes"],
                   "additionalProperties": false}}}\
                """);
    assertThat(Json.read(response.at("/output/0/content/0/text").textValue()))
        .isEqualTo(Json.read("{\"yes\": true}"));
    assertThat(response.at("/text/format/name").textValue()).isEqualTo("yes");
  }

  @Test
  void logProbsAreThoseOfTheTokensOfTheText() {
    String asked = ASKED + ", \"top_logprobs\": 2, \"include\": [\"message.output_text.logprobs\"]";
    JsonNode tokens = answered(asked).at("/output/0/content/0/logprobs");
    assertThat(
            tokens
                .valueStream()
                .map(token -> token.get("token").textValue())
                .collect(Collectors.joining()))
        // The token that ends the answer is one of them.
        .startsWith(SAID);
    assertThat(tokens).allMatch(token -> token.get("top_logprobs").size() == 2);
    List<JsonNode> events = events(asked);
    List<JsonNode> streamed = new ArrayList<>();
    for (JsonNode event : events) {
      if (event.get("type").textValue().equals("response.output_text.delta")) {
        event.get("logprobs").forEach(streamed::add);
      }
    }
    assertThat(streamed).isEqualTo(tokens.valueStream().toList());
    assertThat(events.getLast().at("/response/output/0/content/0/logprobs")).isEqualTo(tokens);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", \"stream\": true"})
  void aModelWithoutATemplateGivesNoResponses(String streamed) {
    long before = TensorMemory.openBlocks();
    JsonNode error = error(respond(ASKED.replace("\"chat\"", "\"writer\"") + streamed), 400);
    assertThat(error.get("message").textValue()).isEqualTo("the model has no chat template");
    assertThat(error.get("type").textValue()).isEqualTo("invalid_request_error");
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  @Test
  void aMistakeIsNamedAndAnUnknownModelIsNotFound() {
    JsonNode error = error(respond(ASKED + ", \"previous_response_id\": \"resp_1\""), 400);
    assertThat(error.get("param").textValue()).isEqualTo("previous_response_id");
    JsonNode sampler = error(respond(ASKED.replace(": 0", ": -1")), 400);
    assertThat(sampler.get("param").textValue()).isEqualTo("temperature");
    assertThat(error(respond(ASKED.replace("\"chat\"", "\"nobody\"")), 404).get("code").textValue())
        .isEqualTo("model_not_found");
    error(http.send("GET", "/v1/responses", Buffer.buffer()), 405);
    error(http.send("GET", "/v1/responses/resp_1", Buffer.buffer()), 404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "max_output_tokens": 300                              | max_output_tokens
          "text": {"format": {"type": "json_schema", "name": "n", "schema": {"minimum": 1}}} | text.format
          "json_schema": {"minimum": 1}                         | json_schema
          """)
  void whatTheModelRefusesHasTheNameThatTheCallerGaveIt(String member, String name) {
    for (String streamed : List.of("", ", \"stream\": true")) {
      JsonNode error = error(respond(ASKED + ", " + member + streamed), 400);
      assertThat(error.get("param").textValue()).isEqualTo(name);
      assertThat(error.get("message").textValue()).startsWith("parameter \"" + name + "\" ");
    }
  }

  @Test
  void tokensOfTheInputThatAnEarlierOneHadAreCounted() {
    String asked =
        "\"model\": \"chat\", \"temperature\": 0, \"input\": \"Seven ships with nine sails saw six"
            + " whales. How many whales were there?\"";
    JsonNode first = Json.read(respond(asked).text()).get("usage");
    assertThat(first.at("/input_tokens_details/cached_tokens").intValue()).isZero();
    assertThat(Json.read(respond(asked).text()).at("/usage/input_tokens_details/cached_tokens"))
        .isEqualTo(IntNode.valueOf(first.get("input_tokens").intValue() - 1));
  }

  @Test
  void anInputWithMoreTokensThanTheModelTakesIsNamed() {
    String input = "\"model\": \"chat\", \"input\": \"%s\"".formatted("word ".repeat(600));
    JsonNode error = error(respond(input), 400);
    assertThat(error.get("param").textValue()).isEqualTo("input");
    assertThat(error.get("code").textValue()).isEqualTo("context_length_exceeded");
  }
}
