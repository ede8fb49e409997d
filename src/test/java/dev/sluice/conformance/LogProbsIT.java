package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Log-probabilities of the tokens of an answer, on request, in each protocol. */
class LogProbsIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String PROMPT = "What is the capital of France?";

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

  private static JsonNode generate(String parameters) {
    return http.answer(
        "/v2/models/chat/generate", "{\"text\": \"" + PROMPT + "\"" + parameters + "}");
  }

  private static JsonNode complete(String members) {
    return http.answer("/v1/completions", "{\"model\": \"chat\", " + members + "}");
  }

  private static List<Double> numbers(JsonNode numbers) {
    return StreamSupport.stream(numbers.spliterator(), false).map(JsonNode::doubleValue).toList();
  }

  private static List<String> texts(JsonNode texts) {
    return StreamSupport.stream(texts.spliterator(), false).map(JsonNode::textValue).toList();
  }

  @Test
  void eachTokenHasItsLogProbabilityAndThoseOfTheLikeliest() {
    JsonNode whole = generate(", \"temperature\": 0, \"logprobs\": 3, \"max_tokens\": 6");
    List<Double> chosen = numbers(whole.get("token_logprobs"));
    List<Double> top = numbers(whole.get("top_logprobs"));
    assertThat(String.join("", texts(whole.get("tokens"))))
        .isEqualTo(whole.get("text").textValue());
    assertThat(chosen).hasSize(6);
    assertThat(top).hasSize(18);
    assertThat(whole.get("top_tokens")).hasSize(18);
    for (int i = 0; i < 6; i++) {
      // Without a temperature the likeliest is chosen.
      assertThat(top.get(3 * i)).isEqualTo(chosen.get(i)).isLessThanOrEqualTo(0);
      assertThat(top.subList(3 * i, 3 * i + 3)).isSortedAccordingTo((a, b) -> b.compareTo(a));
      assertThat(top.subList(3 * i, 3 * i + 3).stream().mapToDouble(Math::exp).sum())
          .isBetween(0.5, 1.000_001);
    }
  }

  @Test
  void theTokenThatEndsAnAnswerHasOneToo() {
    JsonNode whole = generate(", \"temperature\": 0, \"logprobs\": 0");
    assertThat(whole.get("finish_reason").textValue()).isEqualTo("stop");
    assertThat(whole.get("token_logprobs")).hasSize(whole.get("completion_tokens").intValue());
    assertThat(texts(whole.get("tokens"))).last().isEqualTo("<|im_end|>");
    assertThat(whole.has("top_tokens")).isFalse();
  }

  @Test
  void temperaturePenaltiesAndBiasesDoNotChangeThem() {
    String asked = ", \"logprobs\": 2, \"max_tokens\": 1, \"temperature\": ";
    JsonNode plain = generate(asked + "0");
    JsonNode other =
        generate(asked + "3, \"seed\": 1, \"logit_bias\": {\"9\": 7}, \"repetition_penalty\": 5");
    assertThat(other.get("top_logprobs")).isEqualTo(plain.get("top_logprobs"));
    assertThat(other.get("top_tokens")).isEqualTo(plain.get("top_tokens"));
  }

  @Test
  void nothingOfThemIsSentUnlessTheyAreAskedFor() {
    assertThat(generate(", \"max_tokens\": 2").fieldNames())
        .toIterable()
        .doesNotContain("tokens", "token_logprobs", "top_tokens", "top_logprobs");
  }

  @Test
  void aStreamHasThoseOfEachTokenInItsMessage() {
    String asked =
        "{\"text\": \"%s\", \"temperature\": 0, \"logprobs\": 2, \"stop\": \"is Paris\"}"
            .formatted(PROMPT);
    JsonNode whole = http.answer("/v2/models/chat/generate", asked);
    List<JsonNode> events = http.post("/v2/models/chat/generate_stream", asked).events();
    assertThat(events).hasSize(whole.get("completion_tokens").intValue());
    assertThat(events.stream().map(event -> event.get("tokens").textValue()).toList())
        .isEqualTo(texts(whole.get("tokens")));
    assertThat(events.stream().map(event -> event.get("token_logprobs").doubleValue()).toList())
        .isEqualTo(numbers(whole.get("token_logprobs")));
    // What may become the stop string is held back, its tokens are not.
    assertThat(events.stream().map(event -> event.get("text").textValue())).contains("");
  }

  @Test
  void everyProtocolCarriesThem() {
    JsonNode expected = generate(", \"temperature\": 0, \"logprobs\": 2, \"max_tokens\": 4");
    String parameters = "\"parameters\": {\"temperature\": 0, \"logprobs\": 2, \"max_tokens\": 4}}";

    JsonNode v1 =
        http.answer(
                "/v1/models/chat:predict",
                "{\"instances\": [{\"text\": \"" + PROMPT + "\"}], " + parameters)
            .at("/predictions/0");
    assertThat(v1.get("token_logprobs")).isEqualTo(expected.get("token_logprobs"));
    assertThat(v1.get("top_logprobs")).hasSize(4);
    assertThat(v1.at("/top_logprobs/3/1")).isEqualTo(expected.at("/top_logprobs/7"));
    assertThat(v1.at("/top_tokens/3/1")).isEqualTo(expected.at("/top_tokens/7"));

    JsonNode v2 =
        http.answer(
                "/v2/models/chat/infer",
                """
                {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1], "data": ["%s"]}],
                 "outputs": [{"name": "text"}], %s\
                """
                    .formatted(PROMPT, parameters))
            .get("outputs");
    assertThat(v2).hasSize(5);
    assertThat(v2.at("/4/name").textValue()).isEqualTo("top_logprobs");
    assertThat(v2.at("/4/shape")).isEqualTo(Json.read("[1, 4, 2]"));
    assertThat(v2.at("/4/data")).isEqualTo(expected.get("top_logprobs"));

    JsonNode grps =
        http.answer(
            "/grps/v1/infer/predict",
            """
            {"model": "chat", "gmap": {"s_s": {"text": "%s"}, "s_f": {"temperature": 0},
             "s_i64": {"logprobs": 2, "max_tokens": 4}}}\
            """
                .formatted(PROMPT));
    assertThat(grps.at("/gtensors/tensors/2/name").textValue()).isEqualTo("token_logprobs");
    assertThat(grps.at("/gtensors/tensors/2/flat_float32"))
        .isEqualTo(expected.get("token_logprobs"));
  }

  @Test
  void aCompletionHasThemInTheFormOfOpenAi() {
    String asked = "\"prompt\": \"" + PROMPT + "\", \"temperature\": 0, \"max_tokens\": 4";
    JsonNode choice = complete(asked + ", \"logprobs\": 2").at("/choices/0");
    JsonNode logProbs = choice.get("logprobs");
    JsonNode expected = generate(", \"temperature\": 0, \"logprobs\": 2, \"max_tokens\": 4");
    assertThat(logProbs.get("tokens")).isEqualTo(expected.get("tokens"));
    assertThat(logProbs.get("token_logprobs")).isEqualTo(expected.get("token_logprobs"));
    assertThat(logProbs.get("top_logprobs")).hasSize(4).allMatch(top -> top.size() == 2);
    String text = choice.get("text").textValue();
    for (int i = 0; i < 4; i++) {
      String token = logProbs.at("/tokens/" + i).textValue();
      assertThat(text.substring(logProbs.at("/text_offset/" + i).intValue())).startsWith(token);
      assertThat(logProbs.get("top_logprobs").get(i).get(token))
          .isEqualTo(logProbs.get("token_logprobs").get(i));
    }
    assertThat(complete(asked).at("/choices/0/logprobs").isNull()).isTrue();
    JsonNode chosenAlone = complete(asked + ", \"logprobs\": 0").at("/choices/0/logprobs");
    assertThat(chosenAlone.get("top_logprobs")).allMatch(top -> top.size() == 1);
  }

  @Test
  void theOffsetsOfAStreamedCompletionGoOn() {
    String asked =
        "{\"model\": \"chat\", \"prompt\": \"%s\", \"temperature\": 0, \"logprobs\": 1, %s}";
    JsonNode whole =
        http.answer("/v1/completions", asked.formatted(PROMPT, "\"max_tokens\": 5"))
            .at("/choices/0/logprobs/text_offset");
    List<Double> offsets =
        http
            .post("/v1/completions", asked.formatted(PROMPT, "\"max_tokens\": 5, \"stream\": true"))
            .events()
            .stream()
            .map(event -> event.at("/choices/0/logprobs/text_offset/0").doubleValue())
            .toList();
    assertThat(offsets).hasSize(5).isEqualTo(numbers(whole));
  }

  @Test
  void aPartOfACharacterIsShownAsItsBytes() throws IOException {
    // The first byte of characters such as 世 is a token of its own.
    JsonNode vocabulary =
        JSON.readTree(Path.of("src/sample/models/chat/tokenizer.json").toFile()).at("/model/vocab");
    int part = vocabulary.get("ä").intValue();
    JsonNode whole =
        generate(", \"logprobs\": 0, \"max_tokens\": 1, \"logit_bias\": {\"" + part + "\": 100}");
    assertThat(whole.get("tokens").textValue()).isEqualTo("bytes:\\xe4");
  }

  @Test
  void anotherNumberThanOfUpTo20IsRefused() {
    for (String number : List.of("21", "-1", "true", "1.5")) {
      Answer answer =
          http.post(
              "/v1/completions",
              "{\"model\": \"chat\", \"prompt\": \"a\", \"logprobs\": " + number + "}");
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text())
          .contains(
              "parameter \\\"logprobs\\\" is " + number + "; wanted a whole number from 0 to 20");
    }
  }
}
