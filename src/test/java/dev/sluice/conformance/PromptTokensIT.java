package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Prompts that callers have tokenized themselves. */
class PromptTokensIT {
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

  private static Answer complete(String members) {
    return http.send("POST", "/v1/completions", Buffer.buffer("{" + members + "}"));
  }

  /** Returns tokens as JSON. */
  private static String tokens(String model, String text) {
    String asked = "{\"model\": \"%s\", \"prompt\": \"%s\"}".formatted(model, text);
    return Json.read(http.post("/tokenize", asked).text()).get("tokens").toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"writer", "chat"})
  void aPromptOfTokensIsAnsweredAsItsTextIs(String model) {
    String asked =
        "\"model\": \"" + model + "\", \"temperature\": 0, \"max_tokens\": 8, \"prompt\": ";
    JsonNode byText = complete(asked + "\"My dear Mr. \"").json(200);
    String prompt = tokens(model, "My dear Mr. ");
    JsonNode answer = complete(asked + prompt).json(200);
    assertThat(answer.get("choices")).isEqualTo(byText.get("choices"));
    assertThat(answer.at("/usage/prompt_tokens")).isEqualTo(byText.at("/usage/prompt_tokens"));
    String several = "[" + prompt + ", " + tokens(model, "I") + "]";
    JsonNode both = complete(asked + several).json(200).get("choices");
    assertThat(both).hasSize(2);
    assertThat(both.get(0)).isEqualTo(byText.at("/choices/0"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[1, 99999] | parameter \"prompt\" has token 99999 in element 1; the model has tokens from"
            + " 0 to 2047",
        "[-1] | parameter \"prompt\" has token -1 in element 0; the model has tokens from 0 to"
            + " 2047",
        "[1.5] | parameter \"prompt\" is no JSON list of token ids",
        "[1, \"a\"] | parameter \"prompt\" is no JSON list of token ids",
        "[99999999999999999999] | parameter \"prompt\" is no JSON list of token ids",
        "[[]] | parameter \"prompt\" is empty; a stream needs something to begin with"
      })
  void tokensThatTheModelHasNotAreRefused(String prompt, String message) {
    JsonNode error = complete("\"model\": \"chat\", \"prompt\": " + prompt).json(400).get("error");
    assertThat(error.get("message").textValue()).isEqualTo(message);
    assertThat(error.get("param").textValue()).isEqualTo("prompt");
  }

  /** Some vocabularies have more entries than the model has logits. */
  @Test
  void tokensWithoutLogitsAreRefusedByTheNameOfThePrompt(@TempDir Path models) throws IOException {
    Path writer = models.resolve("writer");
    TestModels.copy(Path.of("src/sample/models/writer"), writer);
    Path vocabulary = writer.resolve("vocabulary.json");
    String entries = Files.readString(vocabulary).strip();
    Files.writeString(vocabulary, entries.substring(0, entries.length() - 1) + ", \"~\"]");
    try (var larger = RunningServer.start(models);
        var caller = new HttpCaller(larger.port())) {
      for (String prompt : List.of("[1, 74]", "\"a~\"")) {
        String asked = "{\"model\": \"writer\", \"prompt\": " + prompt + "}";
        Answer answer = caller.post("/v1/completions", asked);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        JsonNode error = Json.read(answer.text()).get("error");
        assertThat(error.get("message").textValue())
            .startsWith("parameter \"prompt\" has token 74 in element 1; the model has tokens");
        assertThat(error.get("param").textValue()).isEqualTo("prompt");
      }
    }
  }

  @Test
  void otherProtocolsHaveThemByAParameter() {
    String prompt = tokens("chat", "What is the capital of France?");
    String asked = "{\"text\": \"%s\", \"temperature\": 0, \"token_ids\": %s}";
    JsonNode byTokens =
        Json.read(http.post("/v2/models/chat/generate", asked.formatted(prompt, true)).text());
    JsonNode byText =
        Json.read(
            http.post(
                    "/v2/models/chat/generate",
                    asked.formatted("What is the capital of France?", false))
                .text());
    assertThat(byTokens).isEqualTo(byText);
    JsonNode read =
        Json.read(http.post("/v2/models/chat/generate", asked.formatted(prompt, false)).text());
    assertThat(read.get("text")).isNotEqualTo(byText.get("text"));
  }
}
