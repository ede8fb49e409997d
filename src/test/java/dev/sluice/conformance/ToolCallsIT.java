package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.Polling;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tool calls in conversations: those that models write by themselves, and those that a request
 * forces.
 */
class ToolCallsIT {
  private static final String PROMPT =
      "{{ messages[-1].content }} {{ tools | tojson if tools else '' }}";
  private static final String CALL =
      "{\"name\": \"weather\", \"arguments\": {\"city\": \"Köln 🙂\", \"days\": 2}}";
  private static final String ARGUMENTS = "{\"city\": \"Köln 🙂\", \"days\": 2}";

  private static final String NESTED = "{\"a\": [{\"b\": {\"c\": {\"d\": \"}\"}}}]}";

  private static final String TOOLS =
      """
      , "tools": [{"type": "function", "function": {"name": "weather", "parameters":
       {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}, "days": {"type":
       "integer"}}, "required": ["city"], "additionalProperties": false}}},
       {"type": "function", "function": {"name": "now"}}]\
      """;

  /** The arguments that the models want to write fit none of these. */
  private static final String STRICT =
      TOOLS.replace("\"name\": \"weather\"", "\"name\": \"weather\", \"strict\": true");

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    TestModels.copy(Path.of("src/sample/models/chat"), models.resolve("chat"));
    ToolCaller.write(
        models,
        "hermes",
        "{# <tool_call> #}" + PROMPT,
        "I look.\n<tool_call>\n"
            + CALL
            + "\n</tool_call>\n<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>");
    ToolCaller.write(
        models, "mistral", "{# [TOOL_CALLS] #}" + PROMPT, "[TOOL_CALLS][" + CALL + "]");
    ToolCaller.write(
        models, "named", "{# [TOOL_CALLS] #}" + PROMPT, "[TOOL_CALLS]weather[ARGS]" + ARGUMENTS);
    ToolCaller.write(
        models,
        "mixed",
        "{# [TOOL_CALLS] #}" + PROMPT,
        "[TOOL_CALLS][{\"name\": \"now\", \"arguments\": " + NESTED + "}, " + CALL + "]");
    ToolCaller.write(
        models, "llama", "{# <|python_tag|> #}" + PROMPT, CALL.replace("arguments", "parameters"));
    ToolCaller.write(
        models, "stranger", "{# <tool_call> #}" + PROMPT, "<tool_call>{\"name\": \"rm\", \"arg");
    ToolCaller.write(models, "plain", PROMPT, "<tool_call>" + CALL + "</tool_call>");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer post(String model, String members) {
    String body =
        "{\"model\": \"%s\", \"messages\": [{\"role\": \"user\", \"content\": \"Go.\"}]%s}"
            .formatted(model, members);
    return http.send("POST", "/v1/chat/completions", Buffer.buffer(body));
  }

  private static JsonNode choice(String model, String members) {
    return post(model, members).json(200).at("/choices/0");
  }

  private static List<JsonNode> deltas(String model, String members) {
    return post(model, members + ", \"stream\": true").events().stream()
        .map(event -> event.at("/choices/0"))
        .toList();
  }

  private static String joined(List<JsonNode> choices, String path) {
    return choices.stream().map(each -> each.at(path).asText("")).collect(Collectors.joining());
  }

  private static String arguments(List<JsonNode> choices, int index) {
    return choices.stream()
        .map(each -> each.at("/delta/tool_calls/0"))
        .filter(call -> call.path("index").asInt(-1) == index)
        .map(call -> call.at("/function/arguments").textValue())
        .collect(Collectors.joining());
  }

  @Test
  void callsOfAnAnswerAreReadAndTheTextBeforeThemStays() {
    JsonNode choice = choice("hermes", TOOLS);
    assertThat(choice.at("/message/content").textValue()).isEqualTo("I look.");
    assertThat(choice.get("finish_reason").textValue()).isEqualTo("tool_calls");
    JsonNode calls = choice.at("/message/tool_calls");
    assertThat(calls).hasSize(2);
    assertThat(calls.at("/0/type").textValue()).isEqualTo("function");
    assertThat(calls.at("/0/id").textValue()).matches("[0-9A-Za-z]{9}");
    assertThat(calls.at("/0/id")).isNotEqualTo(calls.at("/1/id"));
    assertThat(calls.at("/0/function/name").textValue()).isEqualTo("weather");
    assertThat(calls.at("/0/function/arguments").textValue()).isEqualTo(ARGUMENTS);
    assertThat(calls.at("/1/function/name").textValue()).isEqualTo("now");
    assertThat(calls.at("/1/function/arguments").textValue()).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mistral", "llama"})
  void anAnswerOfACallAloneHasNoContent(String model) {
    JsonNode choice = choice(model, TOOLS);
    assertThat(choice.at("/message/content").isNull()).isTrue();
    assertThat(choice.at("/message/tool_calls")).hasSize(1);
    assertThat(choice.at("/message/tool_calls/0/function/arguments").textValue())
        .isEqualTo(ARGUMENTS);
    List<JsonNode> streamed = deltas(model, TOOLS);
    assertThat(joined(streamed, "/delta/content")).isEmpty();
    assertThat(arguments(streamed, 0)).isEqualTo(ARGUMENTS);
  }

  @Test
  void aStreamHasACallsNameFirstAndThenItsArgumentsAsTheyCome() {
    List<JsonNode> choices = deltas("hermes", TOOLS);
    assertThat(choices.getFirst().at("/delta/role").textValue()).isEqualTo("assistant");
    assertThat(joined(choices, "/delta/content")).isEqualTo("I look.");
    List<JsonNode> calls =
        choices.stream()
            .map(each -> each.at("/delta/tool_calls/0"))
            .filter(JsonNode::isObject)
            .toList();
    assertThat(calls.getFirst().at("/function/name").textValue()).isEqualTo("weather");
    assertThat(calls.getFirst().get("id").textValue()).matches("[0-9A-Za-z]{9}");
    assertThat(calls.getFirst().get("type").textValue()).isEqualTo("function");
    assertThat(calls.getFirst().at("/function/arguments").textValue()).isEmpty();
    assertThat(calls).filteredOn(call -> call.path("id").isTextual()).hasSize(2);
    assertThat(calls).hasSizeGreaterThan(6);
    assertThat(arguments(choices, 0)).isEqualTo(ARGUMENTS);
    assertThat(arguments(choices, 1)).isEqualTo("{}");
    assertThat(choices)
        .last()
        .satisfies(last -> {
          assertThat(last.get("delta")).isEmpty();
          assertThat(last.get("finish_reason").textValue()).isEqualTo("tool_calls");
        });
  }

  @Test
  void logProbsOfAllTokensComeWithTheCalls() {
    String asked = TOOLS + ", \"logprobs\": true";
    int whole = choice("hermes", asked).at("/logprobs/content").size();
    int streamed =
        deltas("hermes", asked).stream()
            .mapToInt(each -> each.at("/logprobs/content").size())
            .sum();
    assertThat(whole).isPositive().isEqualTo(streamed);
  }

  @Test
  void withoutParallelCallsThereIsOne() {
    String one = TOOLS + ", \"parallel_tool_calls\": false";
    assertThat(choice("hermes", one).at("/message/tool_calls")).hasSize(1);
    assertThat(arguments(deltas("hermes", one), 1)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "",
      textBlock =
          """
          hermes   | , "tool_choice": "none"
          stranger | , "tool_choice": "auto"
          plain    | , "tool_choice": "auto"
          """)
  void whatIsNoCallOfAFunctionThatThereIsStaysText(String model, String members) {
    JsonNode choice = choice(model, TOOLS + members);
    assertThat(choice.at("/message/content").textValue()).contains("<tool_call>");
    assertThat(choice.get("message").has("tool_calls")).isFalse();
    assertThat(choice.get("finish_reason").textValue()).isEqualTo("stop");
    assertThat(joined(deltas(model, TOOLS + members), "/delta/content"))
        .isEqualTo(choice.at("/message/content").textValue());
  }

  @Test
  void withoutToolsTheMarkerOfACallIsNoPartOfTheText() {
    JsonNode choice = choice("mistral", "");
    assertThat(choice.at("/message/content").textValue()).isEqualTo("[" + CALL + "]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hermes", "mistral", "named", "llama"})
  void theArgumentsOfAStrictFunctionFitThoughTheModelChoosesToCallIt(String model) {
    JsonNode choice = choice(model, STRICT);
    assertThat(choice.get("finish_reason").textValue()).isEqualTo("tool_calls");
    JsonNode call = choice.at("/message/tool_calls/0");
    assertThat(call.at("/function/name").textValue()).isEqualTo("weather");
    requireFits(call);
    List<JsonNode> streamed = deltas(model, STRICT);
    assertThat(arguments(streamed, 0)).isEqualTo(call.at("/function/arguments").textValue());
    assertThat(joined(streamed, "/delta/content"))
        .isEqualTo(choice.at("/message/content").asText(""));
  }

  @Test
  void argumentsOfOtherFunctionsInFrontStayAsTheModelWritesThem() {
    JsonNode calls = choice("mixed", STRICT).at("/message/tool_calls");
    assertThat(calls).hasSize(2);
    assertThat(calls.at("/0/function/arguments").textValue()).isEqualTo(NESTED);
    requireFits(calls.get(1));
  }

  @ParameterizedTest
  @CsvSource({"hermes, none", "stranger, auto", "plain, auto"})
  void textIsFreeBesideStrictFunctions(String model, String chosen) {
    String members = ", \"tool_choice\": \"%s\"".formatted(chosen);
    assertThat(choice(model, STRICT + members).get("message"))
        .isEqualTo(choice(model, TOOLS + members).get("message"));
  }

  @Test
  void aStrictFunctionWhoseSchemaCannotBeHeldToIsRefusedByName() {
    String function =
        ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\", \"strict\": %s,"
            + " \"parameters\": {\"type\": \"object\", \"properties\": {\"x\": {\"type\":"
            + " \"integer\", \"minimum\": 1}}}}}]";
    JsonNode error = post("hermes", function.formatted(true)).json(400).get("error");
    assertThat(error.get("param").textValue()).isEqualTo("tools");
    assertThat(error.get("message").textValue())
        .isEqualTo(
            "parameter \"tools\" has function \"f\", whose schema has keyword \"minimum\" at"
                + " #/properties/x, which is not supported there");
    assertThat(post("hermes", function.formatted(false)).status()).isEqualTo(200);
    assertThat(post("plain", function.formatted(true)).status())
        .as("a model whose calls are not known")
        .isEqualTo(200);
  }

  @Test
  void anotherFormOfTheAnswerHoldsForAllOfItBesideStrictFunctions() {
    JsonNode choice = choice("hermes", STRICT + ", \"regex\": \"ab\"");
    assertThat(choice.at("/message/content").textValue()).isEqualTo("ab");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequiredCallFitsOneOfTheFunctions(boolean parallel) {
    for (int seed = 0; seed < 4; seed++) {
      JsonNode choice =
          choice(
              "chat",
              TOOLS
                  + ", \"tool_choice\": \"required\", \"max_tokens\": 200, \"temperature\": 1.5,"
                  + " \"seed\": %d, \"parallel_tool_calls\": %s".formatted(seed, parallel));
      JsonNode calls = choice.at("/message/tool_calls");
      assertThat(calls).isNotEmpty();
      assertThat(choice.at("/message/content").isNull()).isTrue();
      if (choice.get("finish_reason").textValue().equals("tool_calls")) {
        calls.forEach(ToolCallsIT::requireFits);
        assertThat(calls.size() == 1 || parallel).isTrue();
      }
    }
  }

  private static void requireFits(JsonNode call) {
    JsonNode arguments = Json.read(call.at("/function/arguments").textValue());
    if (call.at("/function/name").textValue().equals("now")) {
      assertThat(arguments.isObject() && arguments.isEmpty()).as(call.toString()).isTrue();
    } else {
      assertThat(call.at("/function/name").textValue()).isEqualTo("weather");
      assertThat(arguments.get("city").textValue()).isIn("Rome", "Oslo");
    }
  }

  @Test
  void aNamedFunctionIsCalledWhateverTheModelWouldSay() {
    String named =
        TOOLS
            + ", \"temperature\": 0, \"tool_choice\": {\"type\": \"function\", \"function\":"
            + " {\"name\": \"weather\"}}";
    JsonNode choice = choice("chat", named);
    assertThat(choice.at("/message/tool_calls")).hasSize(1);
    JsonNode call = choice.at("/message/tool_calls/0");
    requireFits(call);
    assertThat(call.at("/function/name").textValue()).isEqualTo("weather");
    assertThat(choice.get("finish_reason").textValue()).isEqualTo("tool_calls");
    List<JsonNode> streamed = deltas("chat", named);
    assertThat(arguments(streamed, 0)).isEqualTo(call.at("/function/arguments").textValue());
    assertThat(streamed.getLast().get("finish_reason").textValue()).isEqualTo("tool_calls");
  }

  @Test
  void aForcedCallThatIsCutSaysSo() {
    JsonNode choice = choice("chat", TOOLS + ", \"tool_choice\": \"required\", \"max_tokens\": 12");
    assertThat(choice.get("finish_reason").textValue()).isEqualTo("length");
    String stopped =
        TOOLS
            + ", \"stop\": \"cit\", \"tool_choice\": {\"type\": \"function\", \"function\":"
            + " {\"name\": \"weather\"}}";
    assertThat(choice("chat", stopped).get("finish_reason").textValue()).isEqualTo("stop");
    assertThat(deltas("chat", stopped).getLast().get("finish_reason").textValue())
        .isEqualTo("stop");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "required" | {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 1}}}} | parameter "tools" has function "f", whose schema has keyword "minimum" at #/properties/x, which is not supported there
          {"type": "function", "function": {"name": "f"}} | {"name": "f", "parameters": {"type": "xml"}} | parameter "tools" has function "f", whose schema has type "xml" at #; wanted "object"
          "required" | {"name": "f", "parameters": {"type": "array"}} | parameter "tools" has function "f", whose schema has type "array" at #; wanted "object"
          {"type": "function", "function": {"name": "g"}} | {"name": "f"} | parameter "tool_choice" is the function "g"; wanted one of tools
          """)
  void aCallThatCannotBeForcedIsRefusedByName(String choice, String function, String text) {
    long before = TensorMemory.openBlocks();
    for (String streamed : List.of("", ", \"stream\": true")) {
      Answer answer =
          post(
              "chat",
              ", \"tools\": [{\"type\": \"function\", \"function\": %s}], \"tool_choice\": %s%s"
                  .formatted(function, choice, streamed));
      assertThat(answer.status()).as(answer.text()).isEqualTo(400);
      assertThat(Json.read(answer.text()).at("/error/message").textValue()).isEqualTo(text);
      assertThat(Json.read(answer.text()).at("/error/param").textValue()).startsWith("tool");
    }
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }
}
