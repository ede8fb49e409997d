package dev.sluice.protocol.openai.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChatReaderTest {
  private static CompletionRequest read(String members) {
    String json = "{\"model\": \"m\", " + members + "}";
    return ChatReader.read(Body.of(json.getBytes(StandardCharsets.UTF_8)));
  }

  private static String conversation(String members) {
    assertThat(read(members).prompts()).hasSize(1);
    return read(members).prompts().getFirst();
  }

  @Test
  void parametersHaveTheNamesOfTheModel() {
    CompletionRequest request =
        read(
            """
            "messages": [{"role": "user", "content": "Hi"}], "max_completion_tokens": 3, "n": 2,
            "stop": "a", "logprobs": true, "top_logprobs": 4, "seed": null, "stream": true,
            "stream_options": {"include_usage": true}, "tools": [], "tool_choice": "auto",
            "parallel_tool_calls": true, "response_format": {"type": "text"},
            "modalities": ["text"], "prompt_cache_key": "k", "prompt_cache_retention": "24h",
            "prompt_cache_options": {"ttl": "1h"}\
            """);
    assertThat(request.parameters())
        .isEqualTo(
            Map.of(
                "chat", new ParameterValue.Flag(true),
                "max_tokens", new ParameterValue.Whole(3, false),
                "stop", new ParameterValue.Text("a"),
                "logprobs", new ParameterValue.Whole(4, false)));
    assertThat(request.n()).isEqualTo(2);
    assertThat(request.stream()).isTrue();
    assertThat(request.usage()).isTrue();
    assertThat(request.prompts())
        .containsExactly("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");
  }

  @Test
  void aFormOfTheAnswerIsASchema() {
    String said = "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]";
    assertThat(read(said + ", \"response_format\": {\"type\": \"json_object\"}").parameters())
        .containsEntry("json_schema", new ParameterValue.Text("{\"type\":\"object\"}"));
  }

  @Test
  void logProbsWithoutANumberAreThoseOfTheTokens() {
    assertThat(read("\"messages\": [{\"role\": \"user\", \"content\": \"\"}], \"logprobs\": true"))
        .returns(
            Map.of(
                "chat", new ParameterValue.Flag(true),
                "logprobs", new ParameterValue.Whole(0, false)),
            CompletionRequest::parameters);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"role": "developer", "content": "x"}                 | {"role":"system","content":"x"}
          {"content": "\\"\\u00e9\\n", "role": "user", "name": null} | {"content":"\\"é\\n","role":"user"}
          {"role": "user", "content": "x", "name": "Ann é"}     | {"role":"user","content":"x","name":"Ann é"}
          {"role": "user", "content": []}                       | {"role":"user","content":[]}
          {"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b", "type": "text"}]} | {"role":"user","content":[{"type": "text", "text": "a"},{"text": "b", "type": "text"}]}
          {"role": "assistant", "content": "x", "tool_calls": []} | {"role":"assistant","content":"x"}
          {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]} | {"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"a": 1}}}],"content":null}
          {"role": "assistant", "tool_calls": [{"function": {"arguments": "", "name": "f"}}]} | {"role":"assistant","tool_calls":[{"function":{"arguments":{},"name":"f"}}],"content":null}
          {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{a"}}]} | {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{a"}}],"content":null}
          {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f"}}], "refusal": null} | {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f"}}]}
          {"tool_calls": [{"function": {"name": "f"}}], "content": "x", "role": "assistant"} | {"tool_calls":[{"function":{"name":"f"}}],"content":"x","role":"assistant"}
          {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]} | {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"a": 1}}}],"content":null}
          """)
  void messagesAreAsTemplatesKnowThem(String message, String templates) {
    assertThat(conversation("\"messages\": [" + message + "]"))
        .isEqualTo("{\"messages\":[" + templates + "]}");
  }

  @Test
  void aTemplateHasTheToolsAndItsVariablesBesideTheMessages() {
    String said = "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]";
    String tools = "\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\"}}]";
    String variables = "\"chat_template_kwargs\": {\"enable_thinking\": false}";
    String message = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    assertThat(conversation(variables + ", " + said + ", " + tools))
        .isEqualTo(
            "{\"enable_thinking\": false,\"tools\":[{\"type\": \"function\", \"function\":"
                + " {\"name\": \"f\"}}],"
                + message);
    assertThat(conversation(tools + ", " + said + ", \"tool_choice\": \"none\""))
        .isEqualTo("{" + message);
    assertThat(conversation("\"chat_template_kwargs\": { }, " + said)).isEqualTo("{" + message);
  }

  @Test
  void aTemplateKnowsHowLongTheModelIsToThink() {
    String said = "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]";
    String message = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    assertThat(conversation(said + ", \"reasoning_effort\": \"high\", \"verbosity\": \"low\""))
        .isEqualTo("{\"reasoning_effort\":\"high\"," + message);
    String variables = "\"chat_template_kwargs\": {\"reasoning_effort\": 7}";
    assertThat(conversation(variables + ", \"reasoning_effort\": \"high\", " + said))
        .as("of two the last counts")
        .isEqualTo("{\"reasoning_effort\":\"high\",\"reasoning_effort\": 7," + message);
    assertThat(conversation("\"reasoning_effort\": null, \"verbosity\": null, " + said))
        .isEqualTo("{" + message);
  }

  @Test
  void aForcedCallIsAConstraintForTheModel() {
    String said =
        "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}], \"tools\": [{\"function\": {"
            + "\"parameters\": {\"type\": \"object\"}, \"name\": \"f\"}}, {\"function\": {\"name\":"
            + " \"g\", \"parameters\": null}}]";
    assertThat(read(said).parameters())
        .containsEntry("tool_calls", new ParameterValue.Flag(true))
        .doesNotContainKey("tools");
    assertThat(read(said + ", \"tool_choice\": \"none\"").parameters()).hasSize(1);
    assertThat(read(said + ", \"tool_choice\": \"required\"").parameters())
        .containsEntry(
            "tools",
            new ParameterValue.Text(
                "{\"text\":\"calls\",\"functions\":[{\"name\":\"f\",\"parameters\":{\"type\":"
                    + " \"object\"}},{\"name\":\"g\"}]}"));
    assertThat(
            read(said
                    + ", \"tool_choice\": {\"type\": \"function\", \"function\": {\"name\":"
                    + " \"g\"}}")
                .parameters())
        .containsEntry(
            "tools",
            new ParameterValue.Text("{\"text\":\"arguments\",\"functions\":[{\"name\":\"g\"}]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "n": 1                                           | parameter "messages" is missing; wanted a list of messages
          "reasoning_effort": "most"                       | parameter "reasoning_effort" is "most"; wanted none, minimal, low, medium, high, xhigh or max
          "verbosity": 3                                   | parameter "verbosity" is 3; wanted low, medium or high
          "messages": "x"                                  | parameter "messages" is "x"; wanted a list of messages
          "messages": []                                   | parameter "messages" is empty; wanted one message at least
          "messages": ["x"]                                | parameter "messages[0]" is "x"; wanted a message
          "messages": [{"content": "x"}]                   | parameter "messages[0].role" is missing; wanted who speaks
          "messages": [{"role": "cat", "content": "x"}]    | parameter "messages[0].role" is "cat"; wanted system, developer, user, assistant or tool
          "messages": [{"role": "user"}]                   | parameter "messages[0].content" is missing; wanted a text, or a list of texts
          "messages": [{"role": "user", "content": 7}]     | parameter "messages[0].content" is 7; wanted a text, or a list of texts
          "messages": [{"role": "user", "content": [7]}]   | parameter "messages[0].content[0]" is 7; wanted a part of type text
          "messages": [{"role": "user", "content": [{"type": "image_url"}]}] | parameter "messages[0].content[0]" is of type 'image_url'; wanted a part of type text
          "messages": [{"role": "user", "content": [{"type": "text"}]}] | parameter "messages[0].content[0]" is without a text; wanted a part of type text
          "messages": [{"role": "assistant", "content": null}] | parameter "messages[0].content" is missing; wanted a text, or a list of texts
          "messages": [{"role": "assistant", "tool_calls": []}] | parameter "messages[0].content" is missing; wanted a text, or a list of texts
          "messages": [{"role": "assistant", "tool_calls": {}}] | parameter "messages[0].tool_calls" is an object; wanted a list of calls
          "messages": [{"role": "assistant", "tool_calls": [{"function": {}}]}] | parameter "messages[0].tool_calls[0]" is no function with a name; wanted an object with a function, which has a name
          "tools": {}                                      | parameter "tools" is an object; wanted a list of functions
          "tools": [7]                                     | parameter "tools[0]" is 7; wanted an object with a function, which has a name
          "tools": [{"function": {"name": 7}}]             | parameter "tools[0]" is no function with a name; wanted an object with a function, which has a name
          "tools": [{"function": {"name": "f", "strict": 7}}] | parameter "tools[0].function.strict" is 7; wanted true or false
          "tools": [{"function": {"name": ""}}]            | parameter "tools[0]" is a function named ""; wanted a name of its own
          "tools": [{"function": {"name": "f"}}, {"function": {"name": "f"}}] | parameter "tools[1]" is a function named "f" again; wanted a name of its own
          "tool_choice": "required"                        | parameter "tool_choice" is "required"; wanted it beside tools only
          "tool_choice": "any"                             | parameter "tool_choice" is "any"; wanted auto, none, required, or an object with a function, which has a name
          "tool_choice": {"type": "function"}              | parameter "tool_choice" is an object; wanted auto, none, required, or an object with a function, which has a name
          "tool_choice": {"function": {"name": "f"}}       | parameter "tool_choice" is the function "f"; wanted one of tools
          "tools": [{"function": {"name": "f"}}], "tool_choice": "required", "regex": "a" | parameter "tool_choice" is there beside another form of the answer; wanted "auto" or "none" with response_format, json_schema or regex
          "chat_template_kwargs": []                       | parameter "chat_template_kwargs" is a list; wanted an object
          "response_format": {}                            | parameter "response_format" is of another type; wanted an object with type text, json_object, or json_schema and json_schema.schema
          "modalities": ["audio"]                          | parameter "modalities" is a list; wanted ["text"]
          "max_completion_tokens": "3"                     | parameter "max_completion_tokens" is "3"; wanted a whole number from 1 to 2147483647
          "max_completion_tokens": 0                       | parameter "max_completion_tokens" is 0; wanted a whole number from 1 to 2147483647
          "max_completion_tokens": 1.5                     | parameter "max_completion_tokens" is 1.5; wanted a whole number from 1 to 2147483647
          "max_completion_tokens": 1, "max_tokens": 2      | parameter "max_completion_tokens" is there beside max_tokens; wanted one of the two
          "logprobs": 3                                    | parameter "logprobs" is 3; wanted true or false
          "logprobs": true, "top_logprobs": 21             | parameter "top_logprobs" is 21; wanted a whole number from 0 to 20
          "top_logprobs": 2                                | parameter "top_logprobs" is there; wanted it with logprobs: true only
          "prompt": "x"                                    | parameter "prompt" is not known to chat completions
          "messages": [{"role": "user", "content": "x"]    | the body is not JSON at byte 59: Missing a comma or '}' after an object member.
          """)
  void whatIsWrongIsNamed(String members, String text) {
    assertThatThrownBy(() -> read(members))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}], \"tool_choice\": {\"function\":"
            + " {\"name\": \"LONG\"}}",
        "\"messages\": [{\"role\": \"user\", \"content\": \"x\"}], \"tools\": [{\"function\":"
            + " {\"name\": \"LONG\"}}, {\"function\": {\"name\": \"LONG\"}}]",
        "\"reasoning_effort\": \"LONG\"",
        "\"LONG\": 1",
        "\"stream_options\": {\"LONG\": 1}",
        "\"messages\": [{\"role\": \"LONG\", \"content\": \"x\"}]"
      })
  void whatAnErrorRepeatsIsShort(String members) {
    String all = members.replace("LONG", "k".repeat(5_000));
    assertThatThrownBy(() -> read(all))
        .isInstanceOf(InferenceException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains("kkkk").hasSizeLessThan(300));
  }
}
