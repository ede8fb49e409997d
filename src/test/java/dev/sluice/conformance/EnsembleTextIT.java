package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.Poet;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import dev.sluice.testing.TinyEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ensembles with a model of text among their members: one answer, and streams. */
class EnsembleTextIT {

  private static RunningServer server;
  private static HttpCaller http;
  private static int tokens;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    tokens = Poet.write(models);
    TestModels.ensemble(
        models,
        "recital",
        "{ model: poet, inputs: { text: question }, outputs: { text: answer, finish_reason: why,"
            + " completion_tokens: count } }");
    TestModels.ensemble(
        models, "encore", "{ model: recital, inputs: { question: q }, outputs: { answer: a } }");
    TestModels.ensemble(
        models,
        "echo",
        "{ model: poet, inputs: { text: question }, outputs: { text: answer } },"
            + " { model: poet, inputs: { text: answer }, outputs: { text: echo } }",
        "answer, echo");
    Path tiny = TinyEncoder.ofVectors(false).writeTo(models, "tiny");
    Files.writeString(tiny.resolve("model.yml"), "encoder: { task: embedding, pooling: mean }\n");
    TestModels.ensemble(
        models,
        "meant",
        "{ model: poet, inputs: { text: question }, outputs: { text: answer } },"
            + " { model: tiny, inputs: { text: answer }, outputs: { embedding: meaning } }",
        "answer, meaning");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static List<JsonNode> stream(String model, String body) {
    return http.post("/v2/models/" + model + "/generate_stream", body).events();
  }

  @Test
  void oneAnswerHasTheWholeTextUnderTheNamesOfTheEnsemble() {
    JsonNode whole = http.answer("/v2/models/recital/generate", "{\"question\": \"Say it.\"}");
    assertThat(whole.get("answer").textValue()).isEqualTo(Poet.SAID);
    assertThat(whole.get("why").textValue()).isEqualTo("stop");
    assertThat(whole.get("count").intValue()).isEqualTo(tokens);
  }

  @Test
  void everyProtocolCanAskForTheWholeText() {
    JsonNode v2 =
        http.answer(
            "/v2/models/recital/infer",
            """
            {"inputs": [{"name": "question", "datatype": "BYTES", "shape": [1], "data": ["Say it."]}],
             "outputs": [{"name": "answer"}]}\
            """);
    assertThat(v2.get("outputs")).hasSize(1);
    assertThat(v2.at("/outputs/0/data/0").textValue()).isEqualTo(Poet.SAID);

    JsonNode v1 =
        http.answer("/v1/models/recital:predict", "{\"instances\": [{\"question\": \"Say it.\"}]}");
    assertThat(v1.at("/predictions/0/answer").textValue()).isEqualTo(Poet.SAID);

    JsonNode grps =
        http.answer(
            "/grps/v1/infer/predict",
            "{\"model\": \"recital\", \"gmap\": {\"s_s\": {\"question\": \"Say it.\"}}}");
    assertThat(grps.at("/gmap/s_s/answer").textValue()).as(grps.toString()).isEqualTo(Poet.SAID);
  }

  @Test
  void theMemberHeedsTheParametersOfTheRequest() {
    JsonNode whole =
        http.answer(
            "/v2/models/recital/generate", "{\"question\": \"Say it.\", \"max_tokens\": 3}");
    assertThat(whole.get("answer").textValue()).isEqualTo("Hello,");
    assertThat(whole.get("why").textValue()).isEqualTo("length");
    Answer refused =
        http.post(
            "/v2/models/recital/generate", "{\"question\": \"Say it.\", \"temperature\": -1}");
    assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    assertThat(refused.text()).contains("temperature");
  }

  @Test
  void aStreamHasTheSameText() {
    List<JsonNode> events = stream("recital", "{\"question\": \"Say it.\"}");
    assertThat(events).hasSizeGreaterThan(2);
    assertThat(
            events.stream()
                .map(event -> event.get("answer").textValue())
                .collect(Collectors.joining()))
        .isEqualTo(Poet.SAID);
    assertThat(events.getLast().get("why").textValue()).isEqualTo("stop");
  }

  @Test
  void anEnsembleOfSuchAnEnsembleAnswersOnceToo() {
    assertThat(
            http.answer("/v2/models/encore/generate", "{\"q\": \"Say it.\"}").get("a").textValue())
        .isEqualTo(Poet.SAID);
  }

  private static JsonNode vector(String text) {
    return http.answer("/v2/models/tiny/generate", "{\"text\": \"" + text + "\"}").get("embedding");
  }

  @Test
  void aModelBehindATextReadsAllOfItForOneAnswer() {
    JsonNode meant = http.answer("/v2/models/meant/generate", "{\"question\": \"Say it.\"}");
    assertThat(meant.get("answer").textValue()).isEqualTo(Poet.SAID);
    assertThat(meant.get("meaning")).isEqualTo(vector(Poet.SAID));

    JsonNode echo = http.answer("/v2/models/echo/generate", "{\"question\": \"Say it.\"}");
    assertThat(echo.get("answer").textValue()).isEqualTo(Poet.SAID);
    assertThat(echo.get("echo").textValue()).isEqualTo(Poet.SAID);
  }

  @Test
  void aModelBehindAStreamOfTextReadsEachMessageThatSaysSomething() {
    List<JsonNode> events = stream("meant", "{\"question\": \"Say it.\"}");
    assertThat(events).allMatch(event -> event.get("error") == null);
    for (JsonNode event : events) {
      String said = event.get("answer").textValue();
      assertThat(event.get("meaning")).isEqualTo(said.isEmpty() ? null : vector(said));
    }
    assertThat(events.getLast().get("answer").textValue()).isEmpty();
  }

  @Test
  void whatAMemberSendsBesideWhatItDeclaresStaysBehind() {
    String body = "{\"question\": \"Say it.\", \"logprobs\": 2}";
    JsonNode whole = http.answer("/v2/models/recital/generate", body);
    assertThat(whole.get("answer").textValue()).isEqualTo(Poet.SAID);
    assertThat(whole.get("tokens")).isNull();
    assertThat(stream("recital", body))
        .allMatch(event -> event.get("tokens") == null && event.get("error") == null);
  }
}
