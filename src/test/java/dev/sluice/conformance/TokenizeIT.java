package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.MiniLm;
import dev.sluice.testing.MiniLm.Embedded;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of texts, and texts of tokens, in the form of vLLM. */
class TokenizeIT {
  private static final String HELLO = "Hello there, you [SEP]!";
  private static final JsonMapper JSON = new JsonMapper();

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    for (String sample : new String[] {"chat", "writer", "half_plus_two"}) {
      TestModels.copy(Path.of("src/sample/models", sample), models.resolve(sample));
    }
    MiniLm.writeTo(models, "minilm");
    server = RunningServer.start(models);
    http = new HttpCaller(server.port());
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  private static JsonNode post(String path, String body, int status) {
    return http.send("POST", path, Buffer.buffer(body)).json(status);
  }

  private static JsonNode tokenize(String model, String members) {
    return post("/tokenize", "{\"model\": \"" + model + "\", " + members + "}", 200);
  }

  private static long[] tokens(JsonNode answer) {
    long[] tokens = answer.get("tokens").valueStream().mapToLong(JsonNode::longValue).toArray();
    assertThat(answer.get("count").longValue()).isEqualTo(tokens.length);
    return tokens;
  }

  private static String detokenized(String model, long[] tokens) {
    String body = "{\"model\": \"" + model + "\", \"tokens\": " + Arrays.toString(tokens) + "}";
    return post("/detokenize", body, 200).get("prompt").textValue();
  }

  private static String quoted(String text) {
    return JSON.getNodeFactory().textNode(text).toString();
  }

  @Test
  void idsOfATextEncoderAreThoseOfTheLibraryInPython() throws IOException {
    for (Embedded text : MiniLm.embedded()) {
      JsonNode answer = tokenize("minilm", "\"prompt\": " + quoted(text.text()));
      assertThat(tokens(answer)).as(text.text()).containsExactly(text.ids());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/v1", "/openai/v1"})
  void tokensOfALanguageModelSpellItsText(String prefix) {
    JsonNode answer =
        post(prefix + "/tokenize", "{\"model\": \"chat\", \"prompt\": \"Hello you!\"}", 200);
    assertThat(answer.get("max_model_len").intValue()).isEqualTo(512);
    assertThat(answer.get("token_strs").isNull()).isTrue();
    assertThat(tokens(answer)).hasSizeGreaterThan(1);
    String back =
        post(
                prefix + "/detokenize",
                "{\"model\": \"chat\", \"tokens\": " + answer.get("tokens") + "}",
                200)
            .get("prompt")
            .textValue();
    assertThat(back).isEqualTo("Hello you!");
  }

  @Test
  void wholeVocabularyOfAModelWithoutATokenizerFileHasTokensToo() {
    JsonNode answer = tokenize("writer", "\"prompt\": \"My dear Mr. \"");
    assertThat(detokenized("writer", tokens(answer))).isEqualTo("My dear Mr. ");
    assertThat(answer.get("max_model_len").isNull()).isTrue();
  }

  private static List<String> names(String model, String members) {
    JsonNode answer = tokenize(model, members + ", \"return_token_strs\": true");
    List<String> names = answer.get("token_strs").valueStream().map(JsonNode::textValue).toList();
    assertThat(names).hasSameSizeAs(tokens(answer));
    return names;
  }

  @Test
  void tokensAreNamedAsTheVocabularyHasThemOnDemand() {
    assertThat(names("minilm", "\"prompt\": \"Hello there!\""))
        .containsExactly("[CLS]", "hello", "there", "!", "[SEP]");
    assertThat(String.join("", names("chat", "\"prompt\": \"Hello you, ä!\"")))
        .isEqualTo("HelloĠyou,ĠÃ¤!");
    assertThat(names("writer", "\"prompt\": \"My\"")).containsExactly("M", "y");
    JsonNode unnamed = tokenize("writer", "\"prompt\": \"My\", \"return_token_strs\": false");
    assertThat(unnamed.get("token_strs").isNull()).isTrue();
  }

  @Test
  void specialTokensOfAConversationAreNamedToo() {
    String messages = "\"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}]";
    assertThat(names("chat", messages)).anyMatch(name -> name.startsWith("<|"));
  }

  @Test
  void specialTokensAroundATextAreLeftOutOnDemand() {
    long[] around = tokens(tokenize("minilm", "\"prompt\": " + quoted(HELLO)));
    long[] bare =
        tokens(
            tokenize("minilm", "\"prompt\": " + quoted(HELLO) + ", \"add_special_tokens\": false"));
    assertThat(bare).containsExactly(Arrays.copyOfRange(around, 1, around.length - 1));
    assertThat(detokenized("minilm", around)).startsWith("[CLS] hello there").endsWith("[SEP]");
  }

  @Test
  void tokensOfAConversationAreThoseThatACompletionCounts() {
    String messages = "\"messages\": [{\"role\": \"user\", \"content\": \"Hello!\"}]";
    JsonNode completion =
        post(
            "/v1/chat/completions",
            "{\"model\": \"chat\", \"max_tokens\": 1, " + messages + "}",
            200);
    long[] begun = tokens(tokenize("chat", messages));
    assertThat(begun).hasSize(completion.at("/usage/prompt_tokens").intValue());
    long[] said = tokens(tokenize("chat", messages + ", \"add_generation_prompt\": false"));
    assertThat(said).hasSizeLessThan(begun.length);
    assertThat(detokenized("chat", begun)).startsWith(detokenized("chat", said)).contains("Hello!");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          tokenize   | "model": "chat"                                   | parameter "prompt" is missing; wanted a text, or messages
          tokenize   | "prompt": "a"                                     | parameter "model" is missing; wanted a text
          tokenize   | "model": "chat", "prompt": 1                      | parameter "prompt" is 1; wanted a text
          tokenize   | "model": "chat", "prompt": "a", "add": 1          | parameter "add" is not known to tokenize
          tokenize   | "model": "chat", "prompt": "a", "return_token_strs": 1 | parameter "return_token_strs" is 1; wanted true or false
          tokenize   | "model": "chat", "prompt": "a", "add_generation_prompt": true | parameter "add_generation_prompt" is there; wanted it beside messages only
          tokenize   | "model": "chat", "prompt": "a", "messages": [{"role": "user", "content": "b"}] | parameter "prompt" is there beside messages; wanted one of them
          tokenize   | "model": "chat", "messages": [{"role": "user", "content": "b"}], "add_special_tokens": true | parameter "add_special_tokens" is true; wanted false: the chat template says which there are
          tokenize   | "model": "minilm", "messages": [{"role": "user", "content": "b"}] | the model has no chat template
          tokenize   | "model": "half_plus_two", "prompt": "a"           | parameter "model" is 'half_plus_two', which takes no text; wanted one that does
          detokenize | "model": "chat"                                   | parameter "tokens" is missing; wanted a list of whole numbers from 0
          detokenize | "model": "chat", "tokens": [1, -1]                | parameter "tokens[1]" is -1; wanted a whole number from 0 to 9223372036854775807
          detokenize | "model": "chat", "tokens": [1, 2.5]               | parameter "tokens[1]" is 2.5; wanted a whole number from 0 to 9223372036854775807
          detokenize | "model": "chat", "tokens": [1, 9223372036854775808] | parameter "tokens[1]" is 9223372036854775808; wanted a whole number from 0 to 9223372036854775807
          detokenize | "model": "chat", "tokens": "1"                    | parameter "tokens" is "1"; wanted a list of whole numbers from 0
          """)
  void whatIsWrongIsNamed(String path, String members, String message) {
    JsonNode answer = post("/" + path, "{" + members + "}", 400);
    assertThat(answer.at("/error/message").textValue()).isEqualTo(message);
    assertThat(answer.at("/error/type").textValue()).isEqualTo("invalid_request_error");
  }

  @ParameterizedTest
  @ValueSource(longs = {30522, Long.MAX_VALUE})
  void tokensThatTheModelHasNotAreRefusedByPlace(long token) {
    JsonNode answer =
        post("/detokenize", "{\"model\": \"minilm\", \"tokens\": [7, " + token + "]}", 400);
    assertThat(answer.at("/error/message").textValue())
        .isEqualTo("token 1 is " + token + "; the model has tokens from 0 to 30521");
  }

  @Test
  void textBeyondTheModelsLimitIsRefused() {
    String text = "a".repeat((1 << 16) + 1);
    JsonNode answer = post("/tokenize", "{\"model\": \"chat\", \"prompt\": \"" + text + "\"}", 400);
    assertThat(answer.at("/error/message").textValue())
        .isEqualTo("the text has 65537 characters; the model takes 65536");
  }

  @Test
  void modelThatIsNotThereIsNotFound() {
    assertThat(
            post("/tokenize", "{\"model\": \"none\", \"prompt\": \"a\"}", 404)
                .at("/error/code")
                .textValue())
        .isEqualTo("model_not_found");
  }

  @Test
  void callsAreCounted() {
    tokenize("chat", "\"prompt\": \"a\"");
    assertThat(http.send("GET", "/metrics", Buffer.buffer()).text())
        .containsPattern(
            "sluice_requests_total\\{(?=[^}]*=\"tokenize\")(?=[^}]*=\"chat\")[^}]*\\} [1-9]");
  }
}
