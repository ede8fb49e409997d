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
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations by the interface of OpenAI, and by the parameter {@code chat} of others. */
class ChatCompletionsIT {
  private static final String MESSAGES =
      "\"messages\": [{\"role\": \"user\", \"content\": \"What is the capital of France?\"}]";
  private static final String ASKED = "\"model\": \"chat\", \"temperature\": 0, " + MESSAGES;
  private static final String STREAMED =
      ", \"stream\": true, \"stream_options\": {\"include_usage\": true}";

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    Path samples = Path.of("src/sample/models");
    TestModels.copy(samples.resolve("chat"), models.resolve("chat"));
    TestModels.copy(samples.resolve("writer"), models.resolve("writer"));
    Path strict = models.resolve("strict");
    TestModels.copy(samples.resolve("chat"), strict);
    // Its own file wins over the template of the tokenizer's settings.
    Files.writeString(
        strict.resolve("chat_template.jinja"),
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system here') }}{% endif %}"
            + "{{ messages[-1].content }}{{ tools | tojson if tools else '' }}");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static Answer chat(String members) {
    return http.send("POST", "/v1/chat/completions", Buffer.buffer("{" + members + "}"));
  }

  private static JsonNode answered(String members) {
    return chat(members).json(200);
  }

  private static JsonNode error(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.contentType()).isEqualTo("application/json");
    return Json.read(answer.text()).get("error");
  }

  /** Returns all events but the last, which says that it is one. */
  private static List<JsonNode> chunks(String members) {
    Answer answer = chat(members);
    assertThat(answer.contentType()).startsWith("text/event-stream");
    List<String> events =
        answer
            .text()
            .lines()
            .filter(line -> !line.isEmpty())
            .map(line -> line.substring("data: ".length()))
            .toList();
    assertThat(events).last().isEqualTo("[DONE]");
    return events.subList(0, events.size() - 1).stream().map(Json::read).toList();
  }

  private static String content(List<JsonNode> chunks, int index) {
    return chunks.stream()
        .flatMap(chunk -> chunk.get("choices").valueStream())
        .filter(choice -> choice.get("index").intValue() == index)
        .map(choice -> choice.at("/delta/content").asText(""))
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/openai/v1/chat/completions"})
  void anAnswerIsAMessage(String path) {
    Answer answer = http.send("POST", path, Buffer.buffer("{" + ASKED + "}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode said = Json.read(answer.text());
    assertThat(said.get("object").textValue()).isEqualTo("chat.completion");
    assertThat(said.get("id").textValue()).startsWith("chatcmpl-");
    assertThat(said.get("model").textValue()).isEqualTo("chat");
    assertThat(said.get("choices")).hasSize(1);
    assertThat(said.at("/choices/0/message/role").textValue()).isEqualTo("assistant");
    assertThat(said.at("/choices/0/message/content").textValue())
        .isEqualTo("The capital of France is Paris.");
    assertThat(said.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
    assertThat(said.at("/choices/0/logprobs").isNull()).isTrue();
    int prompt = said.at("/usage/prompt_tokens").intValue();
    assertThat(said.at("/usage/total_tokens").intValue())
        .isEqualTo(prompt + said.at("/usage/completion_tokens").intValue());
  }

  @Test
  void thePromptIsThatOfTheTemplate() {
    JsonNode said = answered(ASKED);
    String prompt =
        "<|im_start|>user\\nWhat is the capital of France?<|im_end|>\\n<|im_start|>assistant\\n";
    JsonNode completed =
        Json.read(
            http.send(
                    "POST",
                    "/v1/completions",
                    Buffer.buffer(
                        "{\"model\": \"chat\", \"temperature\": 0, \"prompt\": \"%s\"}"
                            .formatted(prompt)))
                .text());
    assertThat(completed.get("usage")).isEqualTo(said.get("usage"));
    assertThat(completed.at("/choices/0/text")).isEqualTo(said.at("/choices/0/message/content"));
  }

  @Test
  void otherProtocolsHaveConversationsByAParameter() {
    String text = "{" + MESSAGES.replace("\"", "\\\"") + "}";
    Answer answer =
        http.send(
            "POST",
            "/v2/models/chat/generate",
            Buffer.buffer("{\"text\": \"" + text + "\", \"chat\": true, \"temperature\": 0}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(Json.read(answer.text()).get("text").textValue())
        .isEqualTo("The capital of France is Paris.");
  }

  @Test
  void aStreamBeginsWithTheSpeakerAndEndsWithTheReason() {
    JsonNode whole = answered(ASKED);
    List<JsonNode> chunks = chunks(ASKED + STREAMED);
    assertThat(chunks.getFirst().at("/choices/0/delta/role").textValue()).isEqualTo("assistant");
    assertThat(chunks)
        .allMatch(chunk -> chunk.get("object").textValue().equals("chat.completion.chunk"));
    assertThat(content(chunks, 0)).isEqualTo(whole.at("/choices/0/message/content").textValue());
    assertThat(chunks.getLast().get("choices")).isEmpty();
    assertThat(chunks.getLast().get("usage")).isEqualTo(whole.get("usage"));
    List<JsonNode> said = chunks.subList(0, chunks.size() - 1);
    assertThat(said).allMatch(chunk -> chunk.get("usage").isNull());
    assertThat(said.stream().filter(chunk -> !chunk.at("/choices/0/finish_reason").isNull()))
        .singleElement()
        .isEqualTo(said.getLast())
        .satisfies(last -> assertThat(last.at("/choices/0/delta")).isEmpty());
  }

  @Test
  void severalAnswersAreStreamedSideBySide() {
    String several = ASKED.replace(": 0", ": 1") + ", \"n\": 3, \"seed\": 4, \"max_tokens\": 20";
    JsonNode whole = answered(several);
    List<JsonNode> chunks = chunks(several + STREAMED);
    for (int i = 0; i < 3; i++) {
      assertThat(content(chunks, i))
          .isEqualTo(whole.at("/choices/%d/message/content".formatted(i)).textValue());
    }
    assertThat(chunks.getLast().get("usage")).isEqualTo(whole.get("usage"));
    assertThat(whole.at("/usage/prompt_tokens"))
        .isEqualTo(answered(ASKED).at("/usage/prompt_tokens"));
  }

  @Test
  void aStopStringAndANumberOfTokensEndAnAnswer() {
    JsonNode stopped = answered(ASKED + ", \"stop\": \" Paris\"");
    assertThat(stopped.at("/choices/0/message/content").textValue())
        .isEqualTo("The capital of France is");
    assertThat(stopped.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
    JsonNode cut = answered(ASKED + ", \"max_completion_tokens\": 2");
    assertThat(cut.at("/choices/0/message/content").textValue()).isEqualTo("The capital");
    assertThat(cut.at("/choices/0/finish_reason").textValue()).isEqualTo("length");
  }

  @Test
  void logProbsAreThoseOfTheTokensOfTheMessage() {
    String asked = ASKED + ", \"logprobs\": true, \"top_logprobs\": 2, \"max_tokens\": 5";
    JsonNode choice = answered(asked).at("/choices/0");
    JsonNode tokens = choice.at("/logprobs/content");
    assertThat(tokens).hasSize(5);
    var bytes = Buffer.buffer();
    for (JsonNode token : tokens) {
      token.get("bytes").forEach(each -> bytes.appendByte((byte) each.intValue()));
      assertThat(token.get("top_logprobs")).hasSize(2);
      // Greedy: the chosen one is the likeliest.
      assertThat(token.at("/top_logprobs/0/logprob")).isEqualTo(token.get("logprob"));
    }
    assertThat(bytes.toString()).isEqualTo(choice.at("/message/content").textValue());
    List<JsonNode> streamed = new ArrayList<>();
    chunks(asked + ", \"stream\": true")
        .forEach(chunk -> chunk.at("/choices/0/logprobs/content").forEach(streamed::add));
    assertThat(streamed).isEqualTo(tokens.valueStream().toList());
  }

  @Test
  void aTemplateSeesTheToolsAndRefusesInItsOwnWords() {
    String strict = ASKED.replace("\"chat\"", "\"strict\"") + ", \"max_tokens\": 1";
    int plain = answered(strict).at("/usage/prompt_tokens").intValue();
    String tools = ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"weather\"}}]";
    assertThat(answered(strict + tools).at("/usage/prompt_tokens").intValue()).isGreaterThan(plain);
    assertThat(
            answered(strict + tools + ", \"tool_choice\": \"none\"")
                .at("/usage/prompt_tokens")
                .intValue())
        .isEqualTo(plain);
    assertThat(error(chat(strict.replace("user", "system"))).get("message").textValue())
        .isEqualTo("the model's chat template refuses this: no system here");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", \"stream\": true"})
  void aModelWithoutATemplateHoldsNoConversations(String streamed) {
    long before = TensorMemory.openBlocks();
    JsonNode error = error(chat(ASKED.replace("\"chat\"", "\"writer\"") + streamed));
    assertThat(error.get("message").textValue()).isEqualTo("the model has no chat template");
    assertThat(error.get("type").textValue()).isEqualTo("invalid_request_error");
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  @Test
  void aMistakeInAMessageIsNamed() {
    JsonNode error = error(chat(ASKED.replace("user", "robot")));
    assertThat(error.get("param").textValue()).isEqualTo("messages[0].role");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "max_completion_tokens": 300                                                        | max_completion_tokens
          "max_tokens": 300                                                                   | max_tokens
          "response_format": {"type": "json_schema", "json_schema": {"schema": {"minimum": 1}}} | response_format
          "json_schema": {"minimum": 1}                                                       | json_schema
          """)
  void whatTheModelRefusesHasTheNameThatTheCallerGaveIt(String member, String name) {
    for (String streamed : List.of("", ", \"stream\": true")) {
      JsonNode error = error(chat(ASKED + ", " + member + streamed));
      assertThat(error.get("param").textValue()).isEqualTo(name);
      assertThat(error.get("message").textValue()).startsWith("parameter \"" + name + "\" ");
      assertThat(error.get("code").isNull()).isTrue();
    }
  }

  @Test
  void tokensOfThePromptThatAnEarlierOneHadAreCounted() {
    String asked = asking("Seven ships with nine sails saw six whales. How many sails were there?");
    JsonNode first = answered(asked).get("usage");
    assertThat(first.at("/prompt_tokens_details/cached_tokens").intValue()).isZero();
    JsonNode again = answered(asked + ", \"n\": 2").get("usage");
    int prompt = first.get("prompt_tokens").intValue();
    assertThat(again.get("prompt_tokens").intValue()).isEqualTo(prompt);
    assertThat(again.at("/prompt_tokens_details/cached_tokens").intValue()).isEqualTo(prompt - 1);
    assertThat(chunks(asked + STREAMED).getLast().at("/usage/prompt_tokens_details/cached_tokens"))
        .isEqualTo(again.at("/prompt_tokens_details/cached_tokens"));
  }

  @Test
  void thePromptOfManyAnswersIsComputedOnce() {
    long before = promptTokens("computed");
    JsonNode said =
        answered(asking("Who has ever seen as many as five owls at noon?") + ", \"n\": 8");
    assertThat(said.get("choices")).hasSize(8);
    assertThat(promptTokens("computed") - before)
        .as("the last token of each has logits of its own")
        .isEqualTo(said.at("/usage/prompt_tokens").longValue() + 7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", \"n\": 3"})
  void tokensThatAreGeneratedAreCounted(String more) {
    long before = tokens("generated", "");
    JsonNode said = answered(asking("Which owl is the oldest?") + ", \"max_tokens\": 5" + more);
    assertThat(tokens("generated", "") - before)
        .isEqualTo(said.at("/usage/completion_tokens").longValue())
        .isPositive();
  }

  private static long promptTokens(String kind) {
    return tokens("prompt", "\"" + kind + "\"");
  }

  private static long tokens(String kind, String label) {
    return http.send("GET", "/metrics", Buffer.buffer())
        .text()
        .lines()
        .filter(line -> line.startsWith("sluice_" + kind + "_tokens_total{model=\"chat\""))
        .filter(line -> line.contains(label))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", \"stream\": true"})
  void messagesWithMoreTokensThanTheModelTakesAreNamed(String streamed) {
    JsonNode error = error(chat(asking("word ".repeat(600)) + streamed));
    assertThat(error.get("param").textValue()).isEqualTo("messages");
    assertThat(error.get("code").textValue()).isEqualTo("context_length_exceeded");
    assertThat(error.get("message").textValue()).contains(" tokens, and 1 are wanted; ");
  }

  @Test
  void aBodyThatIsNotUtf8IsRefused() {
    Buffer body =
        Buffer.buffer("{\"model\": \"ü")
            .appendByte((byte) 0xc3)
            .appendString("\", " + MESSAGES + "}");
    assertThat(error(http.send("POST", "/v1/chat/completions", body)).get("message").textValue())
        .isEqualTo("the body is not UTF-8 at byte 13");
  }

  private static String asking(String question) {
    return "\"model\": \"chat\", \"temperature\": 0, \"messages\": [{\"role\": \"user\","
        + " \"content\":"
        + " \"%s\"}]".formatted(question);
  }
}
