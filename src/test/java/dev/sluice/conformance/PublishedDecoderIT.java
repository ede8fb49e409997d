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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decoders in folders as they are published on Hugging Face, without a {@code model.yml}. */
class PublishedDecoderIT {
  private static final Path SAMPLE = Path.of("src/sample/models/chat");
  private static final String TELL =
      "\"messages\": [{\"role\": \"user\", \"content\": \"Tell me a story.\"}]";

  @TempDir private static Path models;
  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start() throws IOException {
    TestModels.copy(SAMPLE, models.resolve("chat"));
    publish("published");
    Path short3 = publish("short");
    Files.writeString(short3.resolve("generation_config.json"), "{\"max_new_tokens\": 3}");
    Path ended = publish("ended");
    Files.writeString(ended.resolve("generation_config.json"), "{\"eos_token_id\": [2, 16]}");
    Path one = publish("one");
    Files.writeString(one.resolve("model.yml"), "stream: { prefill_chunk: 0, max_streams: 7 }\n");
    Files.delete(publish("tensors").resolve("tokenizer.json"));
    Files.writeString(publish("own").resolve("model.yml"), "encoder: { task: none }\n");
    Files.writeString(
        publish("declared").resolve("config.pbtxt"),
        "input { name: \"input_ids\" data_type: TYPE_INT64 dims: [-1, -1] }\n");
    Path hot = publish("hot");
    Files.writeString(
        hot.resolve("generation_config.json"), "{\"do_sample\": true, \"temperature\": -3}");
    Path endless = publish("endless");
    Files.writeString(endless.resolve("generation_config.json"), "{\"eos_token_id\": \"</s>\"}");
    Path beyond = publish("beyond");
    Files.writeString(beyond.resolve("generation_config.json"), "{\"eos_token_id\": [2, 99999]}");
    Files.delete(publish("unsaid").resolve("config.json"));
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  /** Lays the sample out as it would lie on Hugging Face. */
  private static Path publish(String name) throws IOException {
    Path folder = models.resolve(name);
    TestModels.copy(SAMPLE, folder);
    Files.delete(folder.resolve("model.yml"));
    Files.move(folder.resolve("1"), folder.resolve("onnx"));
    return folder;
  }

  private static JsonNode chat(String model, String members) {
    Answer answer =
        http.send(
            "POST",
            "/v1/chat/completions",
            Buffer.buffer("{\"model\": \"" + model + "\", " + members + "}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return Json.read(answer.text());
  }

  private static String said(JsonNode answer) {
    return answer.at("/choices/0/message/content").textValue();
  }

  private static String metadata(String model) {
    return http.send("GET", "/v2/models/" + model, Buffer.buffer()).text();
  }

  private static String failure(String model) {
    return http.send("GET", "/v1/models/" + model, Buffer.buffer()).text();
  }

  @Test
  void saysWhatItSaysWithSettingsOfItsOwn() {
    String coldest = "\"temperature\": 0, " + TELL;
    assertThat(said(chat("published", coldest))).isEqualTo(said(chat("chat", coldest)));
  }

  @Test
  void samplesAsItsFilesSay() {
    String seeded = "\"seed\": 5, " + TELL;
    String same = "\"temperature\": 0.6, \"top_p\": 0.9, " + seeded;
    assertThat(said(chat("published", seeded)))
        .isEqualTo(said(chat("chat", same)))
        .isNotEqualTo(said(chat("published", "\"temperature\": 0, " + TELL)));
  }

  @Test
  void choosesTheLikeliestTokenWithoutDoSample() {
    assertThat(said(chat("ended", TELL)))
        .isEqualTo(said(chat("ended", "\"temperature\": 0, " + TELL)));
  }

  @Test
  void endsAtTheTokensOfItsFiles() {
    String whole = said(chat("published", "\"temperature\": 0, " + TELL));
    JsonNode ended = chat("ended", TELL);
    assertThat(whole).startsWith(said(ended)).hasSizeGreaterThan(said(ended).length());
    assertThat(ended.at("/choices/0/finish_reason").textValue()).isEqualTo("stop");
  }

  @Test
  void endsAfterAsManyTokensAsItsFilesSay() {
    JsonNode answer = chat("short", TELL);
    assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(3);
    assertThat(answer.at("/choices/0/finish_reason").textValue()).isEqualTo("length");
  }

  @Test
  void answersWithMoreTokensThanItsFilesSayIfTheRequestDoes() {
    JsonNode answer = chat("short", "\"max_tokens\": 20, \"ignore_eos\": true, " + TELL);
    assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(20);
  }

  @Test
  void takesOtherSettingsOfStreamsFromModelYml() {
    assertThat(said(chat("one", "\"temperature\": 0, " + TELL)))
        .isEqualTo(said(chat("chat", "\"temperature\": 0, " + TELL)));
  }

  @Test
  void refusesPromptsThatItsContextCannotHold() {
    Answer answer =
        http.send(
            "POST",
            "/v1/completions",
            Buffer.buffer(
                "{\"model\": \"published\", \"prompt\": \"" + "a b ".repeat(600) + "\"}"));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains("512");
  }

  @Test
  void staysAModelOfTensorsWithoutATokenizer() {
    assertThat(metadata("tensors")).contains("\"input_ids\"").doesNotContain("\"text\"");
    assertThat(metadata("published")).contains("\"text\"").doesNotContain("\"input_ids\"");
  }

  @Test
  void staysAModelOfTensorsWithoutConfigJson() {
    assertThat(metadata("unsaid")).contains("\"input_ids\"").doesNotContain("\"text\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"own", "declared"})
  void staysAModelOfTensorsIfItsSettingsWantThat(String model) {
    assertThat(metadata(model)).contains("\"input_ids\"", "past_key_values.0.key");
  }

  @Test
  void takesNothingButTheText() {
    assertThat(Json.read(metadata("published")).get("inputs").valueStream())
        .extracting(input -> input.get("name").textValue())
        .containsExactly("text");
    Answer answer =
        http.send(
            "POST",
            "/v2/models/published/generate",
            Buffer.buffer("{\"text\": \"a\", \"attention_mask\": [1]}"));
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.text()).contains("attention_mask");
  }

  @Test
  void isNotLoadedIfItsFilesSayWhatCannotBe() {
    assertThat(failure("hot"))
        .contains(
            "temperature in generation_config.json is -3; wanted a number from 0.0 to 1000.0");
    assertThat(failure("endless"))
        .contains("eos_token_id in generation_config.json is \\\"</s>\\\"; wanted a token");
    assertThat(failure("beyond"))
        .contains(
            "eos_token_id in generation_config.json is 99999; wanted tokens of the model, from 0 to"
                + " 2047")
        .doesNotContain("Exception");
  }
}
