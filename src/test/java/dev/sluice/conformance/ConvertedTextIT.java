package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Poet;
import dev.sluice.testing.RunningServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A converter before and behind a model of text: one answer, and streams. */
@Timeout(60)
class ConvertedTextIT {
  private static final String SAID = Poet.SAID.toUpperCase(Locale.ROOT);

  private static RunningServer server;
  private static HttpCaller http;
  private static int tokens;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    tokens = Poet.write(models);
    new PluginJar().file("Loud").service("Converter", "Loud").into(models.resolve("poet"));
    server = RunningServer.startWithPlugins(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  @Test
  void eachMessageOfAStreamIsConverted() {
    List<JsonNode> messages =
        http.post("/v2/models/poet/generate_stream", "{\"text\": \"Say it.\"}").events();
    assertThat(messages).hasSizeGreaterThan(5);
    assertThat(messages.stream().map(each -> each.get("text").textValue()))
        .allMatch(text -> text.equals(text.toUpperCase(Locale.ROOT)))
        .satisfies(texts -> assertThat(String.join("", texts)).isEqualTo(SAID));
    assertThat(messages.getLast().get("finish_reason").textValue()).isEqualTo("stop");
  }

  @Test
  void oneAnswerHasTheWholeConvertedText() {
    JsonNode whole = http.answer("/v2/models/poet/generate", "{\"text\": \"Say it.\"}");
    assertThat(whole.get("text").textValue()).isEqualTo(SAID);
    assertThat(whole.get("completion_tokens").intValue()).isEqualTo(tokens);
    assertThat(
            http.answer("/v1/models/poet:predict", "{\"instances\": [{\"text\": \"Say it.\"}]}")
                .at("/predictions/0/text")
                .textValue())
        .isEqualTo(SAID);
  }

  @Test
  void parametersReachTheModelBehindTheConverter() {
    JsonNode cut =
        http.answer("/v2/models/poet/generate", "{\"text\": \"Say it.\", \"max_tokens\": 2}");
    assertThat(cut.get("finish_reason").textValue()).isEqualTo("length");
    assertThat(SAID).startsWith(cut.get("text").textValue());
  }

  @Test
  void clientsOfOpenAiAreAnsweredThroughIt() {
    String asked = "\"model\": \"poet\", \"prompt\": \"Say it.\", \"max_tokens\": 100";
    assertThat(http.answer("/v1/completions", "{" + asked + "}").at("/choices/0/text").textValue())
        .isEqualTo(SAID);
    String streamed =
        http.post("/v1/completions", "{" + asked + ", \"stream\": true}").events().stream()
            .map(event -> event.at("/choices/0/text").asText())
            .collect(Collectors.joining());
    assertThat(streamed).isEqualTo(SAID);
  }

  @Test
  void aRequestThatTheConverterRefusesIsRefusedBeforeTheStream() {
    Answer refused = http.post("/v2/models/poet/generate_stream", "{\"text\": \" \"}");
    assertThat(refused.text()).contains("there is nothing to shout");
    Answer whole = http.post("/v2/models/poet/generate", "{\"text\": \" \"}");
    assertThat(whole.status()).isEqualTo(400);
    assertThat(whole.text()).contains("there is nothing to shout");
  }

  @Test
  void aConverterThatFailsEndsTheStreamAndTheServerGoesOn() {
    List<JsonNode> messages =
        http.post("/v2/models/poet/generate_stream", "{\"text\": \"stumble\"}").events();
    assertThat(messages.getFirst().get("text").textValue()).isNotEmpty();
    assertThat(messages.getLast().has("error")).isTrue();
    assertThat(http.post("/v2/models/poet/generate", "{\"text\": \"stumble\"}").status())
        .isEqualTo(500);
    JsonNode next = http.answer("/v2/models/poet/generate", "{\"text\": \"Say it.\"}");
    assertThat(next.get("text").textValue()).isEqualTo(SAID);
  }
}
