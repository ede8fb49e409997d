package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Text of tokenizers whose pieces begin with their space, as those of Llama 2 and Mistral: their
 * decoders leave out the space in front of a text, which is wanted between a prompt and its
 * completion.
 */
class PiecesWithSpacesIT {
  private static final int YES = 3;
  private static final int END = 1;
  private static final String TOKENIZER =
      """
      {"version": "1.0", "truncation": null, "padding": null, "post_processor": null,
       "added_tokens": [
         {"id": 0, "content": "<unk>", "single_word": false, "lstrip": false, "rstrip": false,
          "normalized": false, "special": true},
         {"id": 1, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false,
          "normalized": false, "special": true}],
       "normalizer": null,
       "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
         "split": true},
       "decoder": {"type": "Sequence", "decoders": [
         {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
         {"type": "ByteFallback"}, {"type": "Fuse"},
         {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
       "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab":
         {"<unk>": 0, "</s>": 1, "▁Sure?": 2, "▁yes": 3, "yes": 4, "▁no": 5, "▁": 6,
         "y": 7, "e": 8, "s": 9, "n": 10, "o": 11}}}\
      """;

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    Path folder =
        StepModels.recital(
            models,
            "sure",
            12,
            new long[] {YES, YES, END},
            """
            stop: { tokens: [1], steps: 20 }
              text: { tokenizer: tokenizer.json, context: 150 }\
            """);
    Files.writeString(folder.resolve("tokenizer.json"), TOKENIZER);
    Files.writeString(
        folder.resolve("chat_template.jinja"),
        "{% for message in messages %}{{ message.content }}{% endfor %}");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static String completion(String more) {
    JsonNode answer =
        http.answer(
            "/v1/completions",
            "{\"model\": \"sure\", \"max_tokens\": 9, \"prompt\": \"Sure?\"" + more + "}");
    return answer.at("/choices/0/text").textValue();
  }

  private static String chat(String more) {
    JsonNode answer =
        http.answer(
            "/v1/chat/completions",
            "{\"model\": \"sure\", \"messages\": [{\"role\": \"user\", \"content\": \"Sure?\"}]"
                + more
                + "}");
    return answer.at("/choices/0/message/content").textValue();
  }

  @Test
  void aCompletionGoesOnBehindItsPromptWithTheSpaceOfItsFirstPiece() {
    assertThat(completion("")).isEqualTo(" yes yes");
    assertThat(completion(", \"echo\": true")).isEqualTo("Sure? yes yes");
  }

  @Test
  void theAnswerOfAConversationBeginsWithoutIt() {
    assertThat(chat("")).isEqualTo("yes yes");
  }

  @Test
  void textThatIsConstrainedIsWhatTheConstraintAllows() {
    String spaced = ", \"regex\": \" yes| no\"";
    assertThat(completion(spaced)).isEqualTo(" yes");
    assertThat(chat(spaced)).isEqualTo(" yes");
    String plain = ", \"regex\": \"yes|no\"";
    assertThat(completion(plain)).isEqualTo("yes");
    assertThat(chat(plain)).isEqualTo("yes");
  }
}
