package dev.sluice.protocol.openai.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseReaderTest {
  private static ResponseRequest read(String members) {
    String json = "{\"model\": \"m\", " + members + "}";
    return ResponseReader.read(Body.of(json.getBytes(StandardCharsets.UTF_8)));
  }

  private static String repeated(String members) {
    var out = new JsonWriter(64);
    read("\"input\": \"x\", " + members).settings().write(out);
    return out.toBuffer().toString();
  }

  @Test
  void parametersHaveTheNamesOfTheModel() {
    ResponseRequest request =
        read(
            """
            "input": "Hi", "max_output_tokens": 3, "temperature": 0, "top_p": 0.5, "seed": 7,
            "stop": "a", "top_logprobs": 4, "stream": true, "store": true, "background": false,
            "include": ["reasoning.encrypted_content"], "reasoning": {"effort": null},
            "text": {"format": {"type": "json_object"}}, "previous_response_id": null,
            "stream_options": {"include_obfuscation": false}, "truncation": "disabled"\
            """);
    assertThat(request.parameters())
        .isEqualTo(
            Map.of(
                "chat", new ParameterValue.Flag(true),
                "max_tokens", new ParameterValue.Whole(3, false),
                "temperature", new ParameterValue.Whole(0, false),
                "top_p", new ParameterValue.Fraction(0.5),
                "seed", new ParameterValue.Whole(7, false),
                "stop", new ParameterValue.Text("a"),
                "logprobs", new ParameterValue.Whole(4, false),
                "json_schema", new ParameterValue.Text("{\"type\":\"object\"}")));
    assertThat(request.model()).isEqualTo("m");
    assertThat(request.stream()).isTrue();
    assertThat(request.conversation())
        .isEqualTo("{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");
  }

  @Test
  void logProbsAreIncludedOnRequest() {
    assertThat(read("\"input\": \"\", \"include\": [\"message.output_text.logprobs\"]"))
        .extracting(request -> request.parameters().get("logprobs"))
        .isEqualTo(new ParameterValue.Whole(0, false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"role": "user", "content": "x"} | {"role":"user","content":"x"}
          {"type": "message", "role": "developer", "content": "x"} | {"role":"system","content":"x"}
          {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"text": "é", "type": "input_text"}]} | {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"é"}]}
          {"id": "msg_1", "status": "completed", "phase": null, "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a", "annotations": []}]} | {"role":"assistant","content":[{"type":"text","text":"a"}]}
          {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"} | {"role":"assistant","content":"a"},{"role":"assistant","content":"b"}
          {"arguments": "{\\"a\\": 1}", "name": "f", "call_id": "c", "type": "function_call", "id": "fc_1"} | {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{"a": 1}}}]}
          {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}, {"type": "function_call", "call_id": "d", "name": "g", "arguments": "no"} | {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}},{"id":"d","type":"function","function":{"name":"g","arguments":"no"}}]}
          {"role": "assistant", "content": "wait"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}, {"type": "function_call_output", "call_id": "c", "output": "é"} | {"role":"assistant","content":"wait","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"é","tool_call_id":"c"}
          {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]}, {"role": "user", "content": ""} | {"role":"tool","content":[{"type":"text","text":"x"}],"tool_call_id":"c"},{"role":"user","content":""}
          """)
  void itemsAreMessagesAsTemplatesKnowThem(String items, String messages) {
    assertThat(read("\"input\": [" + items + "]").conversation())
        .isEqualTo("{\"messages\":[" + messages + "]}");
  }

  @Test
  void whatIsRepeatedIsOneLine() {
    assertThat(repeated("\"metadata\": {\"a\": \"b\",\r\n\"c\": \"\\n\"}"))
        .contains(",\"metadata\":{\"a\": \"b\",  \"c\": \"\\n\"},");
  }

  @Test
  void instructionsAreWhatTheSystemSaysFirst() {
    String said = "{\"role\":\"user\",\"content\":\"x\"}";
    String conversation = "{\"messages\":[{\"role\":\"system\",\"content\":\"\\u00e9\"}," + said;
    assertThat(read("\"input\": \"x\", \"instructions\": \"\\u00e9\"").conversation())
        .isEqualTo(conversation + "]}");
    assertThat(read("\"instructions\": \"\\u00e9\", \"input\": [" + said + "]").conversation())
        .isEqualTo(conversation + "]}");
  }

  @Test
  void aTemplateKnowsHowLongTheModelIsToThink() {
    assertThat(read("\"input\": \"x\", \"reasoning\": {\"effort\": \"low\"}").conversation())
        .isEqualTo(
            "{\"reasoning_effort\":\"low\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}");
  }

  @Test
  void aTemplateHasFunctionsInTheFormOfChat() {
    String tools =
        "\"tools\": [{\"type\": \"function\", \"name\": \"f\", \"parameters\": {\"a\": 1}},"
            + " {\"name\": \"g\", \"strict\": true, \"description\": \"é\", \"type\":"
            + " \"function\"}]";
    String message = "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    assertThat(read(tools + ", \"input\": \"x\"").conversation())
        .isEqualTo(
            "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"a\":"
                + " 1}}},"
                + "{\"type\":\"function\",\"function\":{\"name\":\"g\",\"description\":\"é\",\"strict\":true}}],"
                + message);
    assertThat(read(tools + ", \"input\": \"x\", \"tool_choice\": \"none\"").conversation())
        .isEqualTo("{" + message);
    assertThat(repeated(tools))
        .contains(
            ",\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"description\":null,\"parameters\":{\"a\":"
                + " 1},\"strict\":null},"
                + "{\"type\":\"function\",\"name\":\"g\",\"description\":\"é\",\"parameters\":null,\"strict\":true}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "temperature": 0.50                | ,"temperature":0.50,
          "user": null                       | ,"user":null
          "user": "\\u00e9"                  | ,"user":"\\u00e9"
          "store": true                      | ,"store":false,
          "max_output_tokens": 5.0           | ,"max_output_tokens":5,
          "instructions": "x"                | ,"instructions":"x",
          "tool_choice": "none"              | ,"tool_choice":"none",
          "parallel_tool_calls": false       | ,"parallel_tool_calls":false,
          "service_tier": "auto"             | ,"service_tier":"default",
          "reasoning": {"effort": "low"}     | ,"reasoning":{"effort":"low","summary":null},
          "reasoning": {"effort": null, "summary": "auto"} | ,"reasoning":{"effort":null,"summary":"auto"},
          "text": {"verbosity": "low"}       | ,"text":{"format":{"type":"text"},"verbosity":"low"},
          "text": {"format": {"type": "json_schema", "name": "n", "schema": {"a": 1}}} | ,"text":{"format":{"name":"n","description":null,"schema":{"a": 1},"strict":true,"type":"json_schema"}},
          """)
  void aResponseRepeatsWhatWasSaid(String member, String repeated) {
    assertThat(repeated(member)).contains(repeated);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "temperature": 1                                 | parameter "input" is missing; wanted a text, or a list of items
          "input": null                                    | parameter "input" is missing; wanted a text, or a list of items
          "input": 7                                       | parameter "input" is 7; wanted a text, or a list of items
          "input": []                                      | parameter "input" is empty; wanted one item at least
          "input": ["x"]                                   | parameter "input[0]" is "x"; wanted an item
          "input": [{"content": "x"}]                      | parameter "input[0].role" is missing; wanted it in an item of this type
          "input": [{"role": "tool", "content": "x"}]      | parameter "input[0].role" is "tool"; wanted user, assistant, system or developer
          "input": [{"role": "user"}]                      | parameter "input[0].content" is missing; wanted it in an item of this type
          "input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}] | parameter "input[0].content[0]" is of type 'input_image'; wanted a part of type input_text or output_text
          "input": [{"type": "reasoning", "summary": []}]  | parameter "input[0].type" is "reasoning"; wanted message, function_call or function_call_output
          "input": [{"type": "function_call", "call_id": "c", "arguments": "{}"}] | parameter "input[0].name" is missing; wanted it in an item of this type
          "input": [{"type": "function_call_output", "output": "x"}] | parameter "input[0].call_id" is missing; wanted it in an item of this type
          "previous_response_id": "resp_1"                 | parameter "previous_response_id" is there; wanted none: the server keeps no responses
          "conversation": {"id": "conv_1"}                 | parameter "conversation" is there; wanted none: the server keeps no responses
          "background": true                               | parameter "background" is true; wanted false: the server keeps no responses
          "instructions": ["x"]                            | parameter "instructions" is a list; wanted a text
          "tools": [{"type": "web_search"}]                | parameter "tools[0].type" is "web_search"; wanted function
          "tools": [{"type": "function"}]                  | parameter "tools[0]" is without a type or a name; wanted a function with both
          "tools": [{"type": "function", "name": "f", "parameters": []}] | parameter "tools[0].parameters" is a list; wanted a schema, which is an object
          "input": "x", "tool_choice": "required"          | parameter "tool_choice" is "required"; wanted it beside tools only
          "tool_choice": "maybe"                           | parameter "tool_choice" is "maybe"; wanted auto, none, required, or an object of type function, with a name
          "tool_choice": {"type": "web_search"}            | parameter "tool_choice" is an object; wanted auto, none, required, or an object of type function, with a name
          "text": {"format": {"type": "json_schema", "schema": {}}} | parameter "text.format" is without a name; wanted an object with type text, json_object, or json_schema, name and schema
          "text": {"format": {"type": "json_schema", "name": "n"}} | parameter "text.format" is without a schema; wanted an object with type text, json_object, or json_schema, name and schema
          "text": {"format": {"type": "xml"}}              | parameter "text.format" is of another type; wanted an object with type text, json_object, or json_schema, name and schema
          "temperature": "hot"                             | parameter "temperature" is "hot"; wanted a number
          "metadata": {"a": 1}                             | parameter "metadata.a" is 1; wanted a text
          "truncation": "auto"                             | parameter "truncation" is "auto"; wanted disabled
          "reasoning": {"effort": "most"}                  | parameter "reasoning.effort" is "most"; wanted none, minimal, low, medium, high, xhigh or max
          "reasoning": {"effort": 2}                       | parameter "reasoning.effort" is 2; wanted none, minimal, low, medium, high, xhigh or max
          "reasoning": {"summary": "long"}                 | parameter "reasoning.summary" is "long"; wanted auto, concise, detailed or none
          "reasoning": {"budget": 7}                       | parameter "reasoning.budget" is not known to responses
          "reasoning": "high"                              | parameter "reasoning" is "high"; wanted an object
          "reasoning_effort": "high"                       | parameter "reasoning_effort" is not known to responses
          "verbosity": "low"                               | parameter "verbosity" is not known to responses
          "text": {"verbosity": "little"}                  | parameter "text.verbosity" is "little"; wanted low, medium or high
          "include": "x"                                   | parameter "include" is "x"; wanted a list of texts
          "max_output_tokens": 0                           | parameter "max_output_tokens" is 0; wanted a whole number from 1 to 2147483647
          "n": 2                                           | parameter "n" is not known to responses
          "response_format": {"type": "text"}              | parameter "response_format" is not known to responses
          "max_tokens": 2                                  | parameter "max_tokens" is not known to responses
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
        "\"metadata\": {\"LONG\": 1}",
        "\"reasoning\": {\"LONG\": 1}",
        "\"reasoning\": {\"effort\": \"LONG\"}",
        "\"tools\": [{\"type\": \"LONG\"}]",
        "\"input\": [{\"type\": \"LONG\"}]",
        "\"LONG\": 1"
      })
  void whatAnErrorRepeatsIsShort(String members) {
    String all = members.replace("LONG", "k".repeat(5_000));
    assertThatThrownBy(() -> read(all))
        .isInstanceOf(InferenceException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains("kkkk").hasSizeLessThan(300));
  }
}
