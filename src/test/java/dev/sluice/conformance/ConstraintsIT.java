package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Json;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Constraints on what the sample models say, in each protocol. */
class ConstraintsIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String SCHEMA =
      """
      {"type": "object", "properties": {"city": {"type": "string", "maxLength": 9},\
       "sizes": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},\
       "old": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}}, "required": ["city", "old"]}\
      """;

  private static final String GENERATE = "/v2/models/chat/generate";

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

  private static JsonNode complete(String model, String members) {
    return http.answer(
        "/v1/completions",
        "{\"model\": \"%s\", \"prompt\": \"I am \", %s}".formatted(model, members));
  }

  private static String quoted(String text) {
    return JSON.getNodeFactory().textNode(text).toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          chat ~ (Rome|Oslo|Paris)[!.]
          chat ~ [A-Z][a-z]{2,8}( [a-z]{1,6}){1,3}\\.
          chat ~ \\d{4}-\\d{2}-\\d{2}
          chat ~ [世界é]{3}
          writer ~ [A-Z][a-z]{2,8}( [a-z]{1,6}){1,3}\\.
          writer ~ (yes|no)(, (yes|no)){2}
          writer ~ [^aeiou]{5}
          """)
  void eachOfManyAnswersMatchesARegex(String model, String regex) {
    JsonNode completion =
        complete(
            model,
            "\"temperature\": 2, \"top_p\": 1, \"top_k\": 0, \"seed\": 1, \"n\": 12,"
                + " \"max_tokens\": 60, \"regex\": "
                + quoted(regex));
    assertThat(completion.get("choices")).hasSize(12);
    for (JsonNode choice : completion.get("choices")) {
      assertThat(choice.get("text").textValue()).matches(regex);
      assertThat(choice.get("finish_reason").textValue()).isEqualTo("stop");
    }
  }

  @ParameterizedTest
  @CsvSource({"chat, true", "writer, false"})
  void eachOfManyAnswersIsValidByASchema(String model, boolean braces) {
    // The vocabulary of writer has neither braces nor brackets.
    String schema =
        braces
            ? SCHEMA
            : "{\"anyOf\": [{\"type\": \"string\", \"maxLength\": 9}, {\"const\": null}]}";
    JsonSchema validator = JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(schema);
    JsonNode completion =
        complete(
            model,
            "\"temperature\": 1.5, \"seed\": 3, \"n\": 12, \"max_tokens\": 200,"
                + " \"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\":"
                + " \"city\", \"strict\": true, \"schema\": "
                + schema
                + "}}");
    for (JsonNode choice : completion.get("choices")) {
      String text = choice.get("text").textValue();
      assertThat(choice.get("finish_reason").textValue()).as(text).isEqualTo("stop");
      assertThat(validator.validate(Json.read(text))).as(text).isEmpty();
    }
  }

  @Test
  void anyObjectIsAFormatToo() {
    JsonNode completion =
        complete(
            "chat",
            "\"seed\": 2, \"max_tokens\": 250, \"response_format\": {\"type\": \"json_object\"}");
    String text = completion.at("/choices/0/text").textValue();
    assertThat(text).startsWith("{");
    if (completion.at("/choices/0/finish_reason").textValue().equals("stop")) {
      assertThat(Json.read(text).isObject()).isTrue();
    }
    JsonNode plain =
        complete(
            "chat", "\"seed\": 2, \"max_tokens\": 9, \"response_format\": {\"type\": \"text\"}");
    JsonNode without = complete("chat", "\"seed\": 2, \"max_tokens\": 9");
    assertThat(plain.at("/choices/0/text")).isEqualTo(without.at("/choices/0/text"));
  }

  @Test
  void everyProtocolCarriesConstraints() {
    String asked = "\"text\": \"What is the capital of France?\"";
    String regex = "\"regex\": \"(Rome|Oslo|Paris)!\", \"temperature\": 0";
    JsonNode v2 = http.answer("/v2/models/chat/generate", "{" + asked + ", " + regex + "}");
    assertThat(v2.get("text").textValue()).isEqualTo("Paris!");
    JsonNode v1 =
        http.answer(
            "/v1/models/chat:predict",
            "{\"instances\": [{" + asked + "}], \"parameters\": {" + regex + "}}");
    assertThat(v1.at("/predictions/0/text").textValue()).isEqualTo("Paris!");
    JsonNode grps =
        http.answer(
            "/grps/v1/infer/predict",
            "{\"model\": \"chat\", \"gmap\": {\"s_s\": {%s, \"regex\": \"(Rome|Oslo|Paris)!\"},"
                    .formatted(asked)
                + " \"s_f\": {\"temperature\": 0}}}");
    assertThat(grps.at("/gmap/s_s/text").textValue()).as(grps.toString()).isEqualTo("Paris!");
    String boolean_ = "{\"type\": \"boolean\"}";
    for (String schema : new String[] {boolean_, quoted(boolean_)}) {
      JsonNode json =
          http.answer(
              "/v2/models/chat/generate", "{" + asked + ", \"json_schema\": " + schema + "}");
      assertThat(json.get("text").textValue()).matches("true|false");
    }
    String streamed =
        http.post("/v2/models/chat/generate_stream", "{" + asked + ", " + regex + "}").text();
    assertThat(
            streamed
                .lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> line.replaceAll(".*\"text\":\"([^\"]*)\".*", "$1"))
                .collect(Collectors.joining()))
        .isEqualTo("Paris!");
  }

  @Test
  void withoutTokensThatEndAnAnswerItEndsWhereNothingMayFollow() {
    JsonNode completion =
        complete("chat", "\"ignore_eos\": true, \"max_tokens\": 90, \"regex\": \"(ab){3}\"");
    assertThat(completion.at("/choices/0/text").textValue()).isEqualTo("ababab");
    assertThat(completion.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
  }

  @Test
  void aCutAnswerIsTheBeginningOfOne() {
    JsonNode completion = complete("chat", "\"max_tokens\": 2, \"regex\": \"[a-c]{40}\"");
    assertThat(completion.at("/choices/0/text").textValue()).matches("[a-c]{2,39}");
    assertThat(completion.at("/choices/0/finish_reason").textValue()).isEqualTo("length");
  }

  @Test
  void constraintsLeaveTheOtherParametersTheirMeaning() {
    String regex = "\"regex\": \"[a-z]{1,40}\", \"max_tokens\": 30, ";
    String free = complete("chat", regex + "\"temperature\": 0").at("/choices/0/text").textValue();
    assertThat(free).matches("[a-z]{1,40}");
    String sampled = "\"seed\": 5, \"temperature\": 1.5, \"min_p\": 0.02, \"n\": 4, ";
    String penalised = "\"presence_penalty\": 1.5, \"frequency_penalty\": 1, \"logprobs\": 2";
    JsonNode completion = complete("chat", regex + sampled + penalised);
    assertThat(complete("chat", regex + sampled + penalised).get("choices"))
        .as("with the same seed")
        .isEqualTo(completion.get("choices"));
    for (JsonNode choice : completion.get("choices")) {
      String text = choice.get("text").textValue();
      assertThat(text).matches("[a-z]{1,40}");
      var said = new StringBuilder();
      choice.at("/logprobs/tokens").forEach(token -> said.append(token.textValue()));
      assertThat(said.toString()).startsWith(text);
      choice
          .at("/logprobs/token_logprobs")
          .forEach(logProb -> assertThat(logProb.doubleValue()).isNegative());
    }
    JsonNode biased =
        complete("chat", regex + "\"temperature\": 0, \"stop\": \"%s\"".formatted(free.charAt(0)));
    assertThat(biased.at("/choices/0/text").textValue()).isEmpty();
    assertThat(biased.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
  }

  @Test
  void streamsWithAndWithoutConstraintsDoNotDisturbEachOther() throws Exception {
    List<String> asked = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      String text = "\"text\": \"%s\", ".formatted("I am ".repeat(1 + i % 5));
      String constraint =
          switch (i % 3) {
            case 0 -> "\"regex\": \"[a-z ]{%d}\", ".formatted(3 + i);
            case 1 ->
                "\"json_schema\": {\"type\": \"array\", \"items\": {\"type\": \"boolean\"}}, ";
            default -> "";
          };
      asked.add("{" + text + constraint + "\"temperature\": 0, \"max_tokens\": 40}");
    }
    List<String> alone = new ArrayList<>();
    for (String each : asked) {
      alone.add(http.answer(GENERATE, each).get("text").textValue());
    }
    try (var clients = Executors.newFixedThreadPool(asked.size())) {
      List<Callable<String>> together = new ArrayList<>();
      for (String each : asked) {
        together.add(() -> http.answer(GENERATE, each).get("text").textValue());
      }
      List<Future<String>> answers = clients.invokeAll(together);
      for (int i = 0; i < asked.size(); i++) {
        assertThat(answers.get(i).get()).as(asked.get(i)).isEqualTo(alone.get(i));
      }
    }
  }

  @Test
  void whatIsWrongOrHostileIsRefusedByNameAndLeavesNothing() {
    long before = TensorMemory.openBlocks();
    for (String wrong :
        new String[] {
          "\"regex\": \"(a|a)*{1000}\"",
          "\"regex\": \"((a|a)*){9000}\"",
          "\"regex\": \"(a|b)*a(a|b){30}\"",
          "\"regex\": 7",
          "\"json_schema\": {\"type\": \"string\", \"format\": \"date\"}",
          "\"json_schema\": true",
          "\"json_schema\": {\"type\": \"object\", \"required\": \"a\"}",
          "\"json_schema\": {\"oneOf\": []}",
          "\"regex\": \"a\", \"json_schema\": {}",
          "\"response_format\": {\"type\": \"xml\"}",
          "\"response_format\": {\"type\": \"json_schema\"}",
          "\"response_format\": 1"
        }) {
      Answer answer =
          http.post("/v1/completions", "{\"model\": \"chat\", \"prompt\": \"a\", " + wrong + "}");
      assertThat(answer.status()).as(answer.text()).isEqualTo(400);
      assertThat(Json.read(answer.text()).at("/error/param").textValue())
          .as(answer.text())
          .isIn("regex", "json_schema", "response_format");
    }
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }
}
