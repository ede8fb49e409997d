package dev.sluice.protocol.openai.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.openai.generation.CallParameters;
import dev.sluice.protocol.openai.generation.CallerNames;
import dev.sluice.protocol.openai.tools.Tools;
import dev.sluice.transport.Body;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompletionReaderTest {
  private static CompletionRequest read(String json) {
    return CompletionReader.read(Body.of(json.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void parametersOfTheModelKeepTheirNames() {
    CompletionRequest request =
        read(
            """
            {"model": "m", "prompt": ["Hello, 世界"], "max_tokens": 3, "temperature": 0.5,
             "stop": ["a", "b"], "logit_bias": {"7": -100}, "seed": null, "n": 1, "user": "u",
             "stream": true, "stream_options": {"include_usage": true}, "echo": false,
             "priority": 3}\
            """);
    assertThat(request)
        .isEqualTo(
            new CompletionRequest(
                "m",
                List.of("Hello, 世界"),
                1,
                false,
                true,
                true,
                new CallParameters(
                    3,
                    Map.of(
                        "max_tokens", new ParameterValue.Whole(3, false),
                        "temperature", new ParameterValue.Fraction(0.5),
                        "stop", new ParameterValue.Text("[\"a\", \"b\"]"),
                        "logit_bias", new ParameterValue.Text("{\"7\": -100}")),
                    new CallerNames(Map.of("text", "prompt"))),
                Tools.NONE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"prompt": "a"}                                  | parameter "model" is missing; wanted a text
          {"model": 7, "prompt": "a"}                      | parameter "model" is 7; wanted a text
          {"model": "m"}                                   | parameter "prompt" is missing; wanted a text, a list of token ids, or a list of 1 to 32 of these
          {"model": "m", "prompt": []}                     | parameter "prompt" is a list of 0; wanted a text, a list of token ids, or a list of 1 to 32 of these
          {"model": "m", "prompt": ["a", 1]}               | parameter "prompt[1]" is 1; wanted a text
          {"model": "m", "prompt": ["a", [1]]}             | parameter "prompt[1]" is a list; wanted a text
          {"model": "m", "prompt": [[1], "a"]}             | parameter "prompt[1]" is "a"; wanted a list of token ids
          {"model": "m", "prompt": [true]}                 | parameter "prompt[0]" is true; wanted a text
          {"model": "m", "prompt": [1], "echo": true}      | parameter "echo" is true; wanted false beside a prompt of token ids
          {"model": "m", "prompt": "a", "n": 33}           | parameter "n" is 33; wanted a whole number from 1 to 32
          {"model": "m", "prompt": "a", "n": 0}            | parameter "n" is 0; wanted a whole number from 1 to 32
          {"model": "m", "prompt": "a", "n": "1"}          | parameter "n" is "1"; wanted a whole number from 1 to 32
          {"model": "m", "prompt": ["a", "b"], "n": 17}    | parameter "n" is 17 for each of 2 prompts; wanted 32 answers at most together
          {"model": "m", "prompt": "a", "best_of": 2}      | parameter "best_of" is 2; wanted 1, as n: all answers are sent
          {"model": "m", "prompt": "a", "echo": 1}         | parameter "echo" is 1; wanted true or false
          {"model": "m", "prompt": "a", "echo": true, "logprobs": 1} | parameter "echo" is true; wanted false beside logprobs: tokens of a prompt have none
          {"model": "m", "prompt": "a", "stream": 1}       | parameter "stream" is 1; wanted true or false
          {"model": "m", "prompt": "a", "stop": [1]}       | parameter "stop" is [1]; wanted a text, or a list of texts
          {"model": "m", "prompt": "a", "priority": -1}    | parameter "priority" is -1; wanted a whole number from 0 to 2147483647
          {"model": "m", "prompt": "a", "priority": "1"}   | parameter "priority" is "1"; wanted a whole number from 0 to 2147483647
          {"model": "m", "prompt": "a", "seed": [1]}       | parameter "seed" is a list; wanted a number, a text or a bool
          {"model": "m", "prompt": "a", "tempature": 1}    | parameter "tempature" is not known to completions
          {"model": "m", "prompt": "a", "stream_options": {}} | parameter "stream_options" is there; wanted it with stream: true only
          {"model": "m", "prompt": "a", "temperature": 1e400} | parameter "temperature" is not JSON at byte 45: Number too big to be stored in double.
          {"model": "m", "prompt": "a"                     | the body is not JSON at byte 28: Missing a comma or '}' after an object member.
          []                                               | the body is no JSON object
          """)
  void whatIsWrongIsNamed(String json, String text) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage(text);
  }

  @Test
  void nothingIsSaidOfUsageByNull() {
    CompletionRequest request =
        read(
            "{\"model\": \"m\", \"prompt\": \"a\", \"stream\": true, \"stream_options\":"
                + " {\"include_usage\": null, \"include_obfuscation\": null}}");
    assertThat(request.stream()).isTrue();
  }

  @Test
  void errorsOfASchemaNameWhatTheCallerSentWhateverTheirCode() {
    CompletionRequest request =
        read(
            "{\"model\": \"m\", \"prompt\": \"a\", \"response_format\": {\"type\":"
                + " \"json_object\"}}");
    var busy =
        new InferenceException(
            ErrorCode.RESOURCE_EXHAUSTED, "parameter \"json_schema\": 3 others are compiled");
    assertThat(request.said().names().of(busy))
        .hasMessage("parameter \"response_format\": 3 others are compiled")
        .extracting(InferenceException::code)
        .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"[5, 6] | [5, 6]", "[[5, 6], [7]] | [5, 6];[7]", "[[5], []] | [5];[]"})
  void aPromptMayBeTokens(String prompt, String read) {
    CompletionRequest request = read("{\"model\": \"m\", \"prompt\": " + prompt + "}");
    assertThat(String.join(";", request.prompts())).isEqualTo(read);
    assertThat(request.parameters()).isEqualTo(Map.of("token_ids", new ParameterValue.Flag(true)));
  }

  @Test
  void severalPromptsCanHaveSeveralAnswersEach() {
    CompletionRequest request =
        read(
            "{\"model\": \"m\", \"prompt\": [\"a\", \"b\"], \"n\": 16, \"best_of\": 16, \"echo\":"
                + " true}");
    assertThat(request.prompts()).containsExactly("a", "b");
    assertThat(request.choices()).isEqualTo(32);
    assertThat(request.beginning(15)).isEqualTo("a");
    assertThat(request.beginning(16)).isEqualTo("b");
  }
}
