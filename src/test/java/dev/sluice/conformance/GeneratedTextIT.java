package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Poet;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.text.HuggingFaceTokenizer;
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

/**
 * Text in, text out, by a model's {@code tokenizer.json}: in every protocol, whole and streamed.
 */
class GeneratedTextIT {
  private static RunningServer server;
  private static HttpCaller http;
  private static int tokens;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    tokens = Poet.write(models);
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static JsonNode generate(String parameters) {
    return http.answer("/v2/models/poet/generate", "{\"text\": \"Say it.\"" + parameters + "}");
  }

  private static List<JsonNode> stream(String parameters) {
    String body = "{\"text\": \"Say it.\"" + parameters + "}";
    return http.post("/v2/models/poet/generate_stream", body).events();
  }

  private static String error(Answer answer) {
    return answer.json(400).get("error").textValue();
  }

  @Test
  void eachEventHasWholeCharactersAndTheLastOneSaysHowItEnded() {
    List<JsonNode> events = stream("");
    List<String> texts = events.stream().map(event -> event.get("text").textValue()).toList();
    assertThat(String.join("", texts)).isEqualTo(Poet.SAID);
    assertThat(texts).contains("世", "界", "🙂").noneMatch(text -> text.contains("\uFFFD"));
    assertThat(events.subList(0, events.size() - 1))
        .allMatch(event -> event.get("finish_reason") == null);
    JsonNode last = events.getLast();
    assertThat(last.get("finish_reason").textValue()).isEqualTo("stop");
    assertThat(last.get("completion_tokens").intValue()).isEqualTo(tokens);
    assertThat(last.get("prompt_tokens").intValue())
        .isEqualTo(HuggingFaceTokenizer.read(Poet.TOKENIZER, false).encode("Say it.").length);
  }

  @Test
  void oneAnswerHasTheWholeText() {
    JsonNode whole = generate("");
    assertThat(whole.get("text").textValue()).isEqualTo(Poet.SAID);
    assertThat(whole.get("finish_reason").textValue()).isEqualTo("stop");
    assertThat(whole.get("completion_tokens").intValue()).isEqualTo(tokens);
  }

  @Test
  void everyProtocolCanAskForTheWholeText() {
    JsonNode v2 =
        http.answer(
            "/v2/models/poet/infer",
            """
            {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["Say it."]}],
             "outputs": [{"name": "text"}], "parameters": {"max_tokens": 3}}\
            """);
    assertThat(v2.get("outputs")).hasSize(1);
    assertThat(v2.at("/outputs/0/data/0").textValue()).isEqualTo("Hello,");

    JsonNode v1 =
        http.answer("/v1/models/poet:predict", "{\"instances\": [{\"text\": \"Say it.\"}]}");
    assertThat(v1.at("/predictions/0/text").textValue()).isEqualTo(Poet.SAID);
    assertThat(v1.at("/predictions/0/finish_reason").textValue()).isEqualTo("stop");

    JsonNode grps =
        http.answer(
            "/grps/v1/infer/predict",
            "{\"model\": \"poet\", \"gmap\": {\"s_s\": {\"text\": \"Say it.\", \"stop\":"
                + " \"The\"}}}");
    assertThat(grps.at("/gmap/s_s/text").textValue())
        .as(grps.toString())
        .isEqualTo("Hello, 世界 🙂! ");
  }

  @Test
  void stopStringsEndTheTextAndAreNoPartOfIt() {
    JsonNode whole = generate(", \"stop\": \"end of\"");
    assertThat(whole.get("text").textValue()).isEqualTo("Hello, 世界 🙂! The ");
    assertThat(whole.get("finish_reason").textValue()).isEqualTo("stop");
    String several =
        stream(", \"stop\": \"[\\\"nothing\\\", \\\"界\\\"]\"").stream()
            .map(event -> event.get("text").textValue())
            .collect(Collectors.joining());
    assertThat(several).isEqualTo("Hello, 世");
  }

  @Test
  void anAnswerMayBeCutAfterSoManyTokens() {
    JsonNode whole = generate(", \"max_tokens\": 3");
    assertThat(whole.get("text").textValue()).isEqualTo("Hello,");
    assertThat(whole.get("finish_reason").textValue()).isEqualTo("length");
    assertThat(whole.get("completion_tokens").intValue()).isEqualTo(3);
  }

  @Test
  void aTokenThatEndsAnAnswerCanBeIgnored() {
    JsonNode whole = generate(", \"ignore_eos\": true, \"max_tokens\": 60");
    assertThat(whole.get("text").textValue()).isEqualTo(Poet.SAID);
    assertThat(whole.get("finish_reason").textValue()).isEqualTo("length");
    assertThat(whole.get("completion_tokens").intValue()).isEqualTo(60);
  }

  @Test
  void aBiasChangesWhatIsSaid() {
    JsonNode whole = generate(", \"max_tokens\": 2, \"logit_bias\": \"{\\\"39\\\": 50}\"");
    assertThat(whole.get("text").textValue()).isEqualTo("HH");
  }

  @Test
  void aPromptThatIsNotUtf8IsRefused() {
    Buffer body = Buffer.buffer("{\"text\": \"x").appendByte((byte) 0xff).appendString("\"}");
    assertThat(error(http.send("POST", "/v2/models/poet/generate", body)))
        .isEqualTo("input \"text\" is not UTF-8");
  }

  @Test
  void whatCannotBeIsRefusedBeforeTheRun() {
    assertThat(
            error(http.post("/v2/models/poet/generate", "{\"text\": \"" + "x".repeat(149) + "\"}")))
        .isEqualTo(
            "input \"text\" has 150 tokens, and 1 are wanted; together the model takes 150 (setting"
                + " stream.text.context)");
    assertThat(
            error(http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"max_tokens\": 149}")))
        .contains("has 2 tokens, and 149 are wanted; together the model takes 150");
    assertThat(error(http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"stop\": \"\"}")))
        .isEqualTo(
            "parameter \"stop\" is \"\"; wanted a text of 1 to 256 characters, or a JSON list of 16"
                + " at most");
    assertThat(
            error(
                http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"logit_bias\": \"1\"}")))
        .contains("parameter \"logit_bias\" is \"1\"; wanted a JSON object");
    assertThat(error(http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"max_tokens\": 0}")))
        .contains("parameter \"max_tokens\" is 0");
    assertThat(error(http.post("/v2/models/poet/generate", "{\"text\": [\"x\", \"y\"]}")))
        .contains("a stream takes one text");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "stop": {}                | parameter "stop" is {}; wanted a text, or a list of texts
          "stop": ["a", 7]          | parameter "stop" is ["a", 7]; wanted a text, or a list of texts
          "stop": [["a"]]           | parameter "stop" is [["a"]]; wanted a text, or a list of texts
          "stop": true              | parameter "stop" is true; wanted a text of 1 to 256 characters, or a JSON list of 16 at most
          "logit_bias": [1]         | parameter "logit_bias" is [1]; wanted a text, or an object
          "json_schema": [{}]       | parameter "json_schema" is [{}]; wanted a text, or an object
          "json_schema": true       | parameter "json_schema" is true; wanted a text
          "temperature": "hot"      | parameter "temperature" is "hot"; wanted a number from 0 to 1000
          "top_k": 1.5              | parameter "top_k" is 1.5; wanted a whole number from -1 to 2147483647
          "seed": "1"               | parameter "seed" is "1"; wanted a whole number from -9223372036854775808 to 9223372036854775807
          "ignore_eos": "yes"       | parameter "ignore_eos" is "yes"; wanted true or false
          "chat": 2                 | parameter "chat" is 2; wanted true or false
          "tool_calls": 0.5         | parameter "tool_calls" is 0.5; wanted true or false
          "regex": 7                | parameter "regex" is 7; wanted a text
          "tools": false            | parameter "tools" is false; wanted a text
          "logprobs": true          | parameter "logprobs" is true; wanted a whole number from 0 to 20
          """)
  void aParameterOfAWrongTypeIsNamedWithWhatWasGotAndWanted(String parameter, String text) {
    String generate = "{\"text\": \"x\", %s}".formatted(parameter);
    assertThat(error(http.post("/v2/models/poet/generate", generate))).isEqualTo(text);
    String nested = "{\"text\": \"x\", \"parameters\": {%s}}".formatted(parameter);
    assertThat(error(http.post("/v2/models/poet/generate", nested))).isEqualTo(text);
    String infer =
        "{\"inputs\": [{\"name\": \"text\", \"datatype\": \"BYTES\", \"shape\": [1], \"data\":"
            + " [\"x\"]}], \"parameters\": {%s}}".formatted(parameter);
    assertThat(error(http.post("/v2/models/poet/infer", infer))).isEqualTo(text);
    String predict =
        "{\"instances\": [{\"text\": \"x\"}], \"parameters\": {%s}}".formatted(parameter);
    assertThat(error(http.post("/v1/models/poet:predict", predict))).isEqualTo(text);
  }

  @Test
  void nothingIsLeftOfRefusedAndOfStoppedStreams() {
    long before = TensorMemory.openBlocks();
    generate(", \"stop\": \"世\"");
    error(http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"max_tokens\": 149}"));
    error(http.post("/v2/models/poet/generate", "{\"text\": \"x\", \"stop\": \"\"}"));
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }
}
