package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import dev.sluice.testing.ToolCaller;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of functions among the items of a response. */
class ResponseCallsIT {
  private static final String TOOLS =
      """
      , "tools": [{"type": "function", "name": "weather", "parameters": {"type": "object",
       "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
       "additionalProperties": false}}, {"type": "function", "name": "now"}]\
      """;

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    TestModels.copy(Path.of("src/sample/models/chat"), models.resolve("chat"));
    ToolCaller.write(
        models,
        "hermes",
        "{# <tool_call> #}{{ messages[-1].content }} {{ tools | tojson if tools else '' }}",
        "I look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n"
            + "</tool_call>\n<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer respond(String model, String members) {
    String body = "{\"model\": \"%s\", \"input\": \"Go.\"%s%s}".formatted(model, TOOLS, members);
    Answer answer = http.send("POST", "/v1/responses", Buffer.buffer(body));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  private static List<JsonNode> events(String model, String members) {
    return respond(model, members + ", \"stream\": true").events();
  }

  private static void assertCall(JsonNode item, String name, String arguments) {
    assertThat(item.get("type").textValue()).isEqualTo("function_call");
    assertThat(item.get("status").textValue()).isEqualTo("completed");
    assertThat(item.get("name").textValue()).isEqualTo(name);
    assertThat(item.get("call_id").textValue()).isNotEmpty();
    assertThat(item.get("arguments").textValue()).isEqualTo(arguments);
  }

  @Test
  void callsAreItemsBehindTheMessage() {
    JsonNode response = Json.read(respond("hermes", "").text());
    assertThat(response.get("status").textValue()).isEqualTo("completed");
    JsonNode output = response.get("output");
    assertThat(output).hasSize(3);
    assertThat(output.at("/0/content/0/text").textValue()).isEqualTo("I look.");
    assertCall(output.get(1), "weather", "{\"city\": \"Oslo\"}");
    assertCall(output.get(2), "now", "{}");
    assertThat(output.valueStream().map(item -> item.get("id").textValue()).distinct()).hasSize(3);
  }

  @Test
  void anItemIsOverBeforeTheNextBegins() {
    List<JsonNode> events = events("hermes", "");
    List<String> types =
        events.stream()
            .map(event -> event.get("type").textValue())
            .filter(type -> !type.endsWith(".delta"))
            .toList();
    assertThat(types)
        .containsExactly(
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
    JsonNode output = events.getLast().at("/response/output");
    for (int i = 0; i < output.size(); i++) {
      assertThat(done(events, i)).isEqualTo(output.get(i));
    }
    assertCall(output.get(1), "weather", "{\"city\": \"Oslo\"}");
    assertThat(
            events.stream()
                .filter(event -> event.path("output_index").asInt(-1) == 1)
                .map(event -> event.path("delta").asText(""))
                .collect(Collectors.joining()))
        .isEqualTo("{\"city\": \"Oslo\"}");
  }

  private static JsonNode done(List<JsonNode> events, int index) {
    return events.stream()
        .filter(event -> event.get("type").textValue().equals("response.output_item.done"))
        .filter(event -> event.get("output_index").intValue() == index)
        .findFirst()
        .orElseThrow()
        .get("item");
  }

  @Test
  void theArgumentsOfAStrictFunctionFitThoughTheModelChoosesToCallIt() {
    String strict =
        ", \"tools\": [{\"type\": \"function\", \"name\": \"weather\", \"strict\": true,"
            + " \"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"const\":"
            + " \"Turin\"}}, \"required\": [\"city\"], \"additionalProperties\": false}}]";
    String body = "{\"model\": \"hermes\", \"input\": \"Go.\"%s%s}";
    JsonNode response = http.answer("/v1/responses", body.formatted(strict, ""));
    assertCall(response.at("/output/1"), "weather", "{\"city\": \"Turin\"}");
    JsonNode last =
        http.send(
                "POST",
                "/v1/responses",
                Buffer.buffer(body.formatted(strict, ", \"stream\": true")))
            .events()
            .getLast();
    assertCall(last.at("/response/output/1"), "weather", "{\"city\": \"Turin\"}");
  }

  @Test
  void aCallThatIsForcedIsAllOfTheOutput() {
    String forced = ", \"tool_choice\": {\"type\": \"function\", \"name\": \"weather\"}";
    JsonNode response = Json.read(respond("chat", forced).text());
    assertThat(response.get("output")).hasSize(1);
    JsonNode call = response.at("/output/0");
    assertThat(call.get("name").textValue()).isEqualTo("weather");
    assertThat(Json.read(call.get("arguments").textValue()).get("city").textValue())
        .isIn("Rome", "Oslo");
    assertThat(response.at("/tool_choice/name").textValue()).isEqualTo("weather");
  }

  @Test
  void aCallThatIsCutIsIncomplete() {
    String cut =
        ", \"max_output_tokens\": 4, \"tool_choice\": {\"type\": \"function\", \"name\":"
            + " \"weather\"}";
    JsonNode last = events("chat", cut).getLast();
    assertThat(last.get("type").textValue()).isEqualTo("response.incomplete");
    assertThat(last.at("/response/output/0/status").textValue()).isEqualTo("incomplete");
  }
}
