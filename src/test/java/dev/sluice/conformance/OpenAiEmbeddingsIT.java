package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.Polling;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TinyEncoder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Vectors and scores of texts by the interfaces of OpenAI and Cohere. */
class OpenAiEmbeddingsIT {
  private static final Offset<Double> TOLERANCE = within(1e-6);
  private static final String TEXTS = "[\"One\", \"A longer text\", \"3\"]";

  private static RunningServer server;
  private static HttpCaller http;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    TinyEncoder.ofVectors(false).writeTo(models, "tiny");
    Files.writeString(
        TinyEncoder.ofLogits(1).writeTo(models, "ranker").resolve("config.json"),
        "{\"architectures\": [\"BertForSequenceClassification\"], \"id2label\": {\"0\": \"x\"}}");
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

  private static List<Double> numbers(JsonNode list) {
    List<Double> numbers = new ArrayList<>();
    list.forEach(number -> numbers.add(number.doubleValue()));
    return numbers;
  }

  private static JsonNode embed(String members) {
    return post("/v1/embeddings", "{\"model\": \"tiny\", " + members + "}", 200);
  }

  private static void assertNear(List<Double> vector, List<Double> expected) {
    assertThat(vector).hasSameSizeAs(expected);
    for (int i = 0; i < vector.size(); i++) {
      assertThat(vector.get(i)).isCloseTo(expected.get(i), TOLERANCE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/embeddings", "/openai/v1/embeddings"})
  void vectorsAreThoseOfOtherProtocols(String path) {
    JsonNode answer =
        post(path, "{\"model\": \"tiny\", \"input\": " + TEXTS + ", \"user\": null}", 200);
    JsonNode v2 =
        post(
            "/v2/models/tiny/infer",
            "{\"inputs\": [{\"name\": \"text\", \"datatype\": \"BYTES\", \"shape\": [3], \"data\": "
                + TEXTS
                + "}], \"outputs\": [{\"name\": \"embedding\"}, {\"name\": \"tokens\"}]}",
            200);
    List<Double> all = numbers(v2.at("/outputs/0/data"));
    assertThat(answer.get("data")).hasSize(3);
    for (int i = 0; i < 3; i++) {
      JsonNode row = answer.get("data").get(i);
      assertThat(row.get("object").textValue()).isEqualTo("embedding");
      assertThat(row.get("index").intValue()).isEqualTo(i);
      assertNear(numbers(row.get("embedding")), all.subList(4 * i, 4 * i + 4));
    }
    double tokens =
        numbers(v2.at("/outputs/1/data")).stream().mapToDouble(Double::doubleValue).sum();
    assertThat(tokens).isGreaterThan(3);
    assertThat(answer.at("/usage/prompt_tokens").doubleValue()).isEqualTo(tokens);
    assertThat(answer.at("/usage/total_tokens").doubleValue()).isEqualTo(tokens);
    assertThat(answer.get("object").textValue()).isEqualTo("list");
    assertThat(answer.get("model").textValue()).isEqualTo("tiny");
  }

  @Test
  void tokensAreAnsweredOnlyToThoseWhoAsk() {
    JsonNode v1 = post("/v1/models/tiny:predict", "{\"instances\": [\"One\"]}", 200);
    assertThat(v1.at("/predictions/0").isArray()).isTrue();
  }

  @Test
  void callsThatWantDifferentOutputsRunTogether() throws Exception {
    List<Future<String>> bare = new ArrayList<>();
    List<Future<String>> counted = new ArrayList<>();
    try (var client = new PredictClient(server);
        var threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 200; i++) {
        bare.add(
            threads.submit(() -> client.post("/v2/models/tiny/generate", "{\"text\": \"One\"}")));
        counted.add(
            threads.submit(
                () -> client.post("/v1/embeddings", "{\"model\": \"tiny\", \"input\": \"One\"}")));
      }
    }
    for (int i = 0; i < bare.size(); i++) {
      assertThat(bare.get(i).get()).contains("embedding").doesNotContain("tokens");
      assertThat(counted.get(i).get()).contains("\"usage\":{\"prompt_tokens\":3,");
    }
  }

  @Test
  void base64HasTheBytesOfTheNumbers() {
    JsonNode floats = embed("\"input\": \"One\"").at("/data/0/embedding");
    String text =
        embed("\"input\": \"One\", \"encoding_format\": \"base64\"")
            .at("/data/0/embedding")
            .textValue();
    ByteBuffer bytes =
        ByteBuffer.wrap(Base64.getDecoder().decode(text)).order(ByteOrder.LITTLE_ENDIAN);
    List<Double> read = new ArrayList<>();
    while (bytes.hasRemaining()) {
      read.add((double) bytes.getFloat());
    }
    assertNear(read, numbers(floats));
  }

  @Test
  void aShorterVectorHasTheSameDirectionAndLength() {
    List<Double> whole = numbers(embed("\"input\": \"One\"").at("/data/0/embedding"));
    List<Double> some =
        numbers(embed("\"input\": \"One\", \"dimensions\": 2").at("/data/0/embedding"));
    assertThat(some).hasSize(2);
    assertThat(Math.hypot(some.get(0), some.get(1))).isCloseTo(1, TOLERANCE);
    assertThat(some.get(0) / some.get(1)).isCloseTo(whole.get(0) / whole.get(1), within(1e-4));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/rerank", "/v2/rerank", "/rerank", "/openai/v1/rerank"})
  void textsAreInTheOrderOfTheirScores(String path) {
    JsonNode answer = post(path, rerank(""), 200);
    JsonNode v2 =
        post(
            "/v2/models/ranker/infer",
            "{\"inputs\": [{\"name\": \"query\", \"datatype\": \"BYTES\", \"shape\": [1], \"data\":"
                + " [\"q\"]}, {\"name\": \"text\", \"datatype\": \"BYTES\", \"shape\": [3],"
                + " \"data\": "
                + TEXTS
                + "}]}",
            200);
    List<Double> scores = numbers(v2.at("/outputs/0/data"));
    assertThat(answer.get("results")).hasSize(3);
    double before = Double.MAX_VALUE;
    for (JsonNode result : answer.get("results")) {
      double score = result.get("relevance_score").doubleValue();
      assertThat(score).isLessThanOrEqualTo(before);
      assertThat(score).isCloseTo(scores.get(result.get("index").intValue()), TOLERANCE);
      before = score;
    }
    assertThat(answer.at("/meta/tokens/input_tokens").intValue()).isGreaterThan(6);
  }

  private static String rerank(String more) {
    return "{\"model\": \"ranker\", \"query\": \"q\", \"documents\": " + TEXTS + more + "}";
  }

  @Test
  void theBestTextsComeWithTheirWordsIfTheyAreWanted() {
    JsonNode all = post("/v1/rerank", rerank(""), 200).get("results");
    JsonNode best =
        post("/v1/rerank", rerank(", \"top_n\": 2, \"return_documents\": true"), 200)
            .get("results");
    assertThat(best).hasSize(2);
    List<String> texts = List.of("One", "A longer text", "3");
    for (int i = 0; i < 2; i++) {
      assertThat(best.get(i).get("index")).isEqualTo(all.get(i).get("index"));
      assertThat(best.get(i).at("/document/text").textValue())
          .isEqualTo(texts.get(best.get(i).get("index").intValue()));
    }
  }

  @Test
  void whatClientsOfCohereMaySendBesideChangesNoScore() {
    String hints = ", \"max_tokens_per_doc\": 4096, \"max_chunks_per_doc\": 10, \"priority\": 999";
    assertThat(post("/v2/rerank", rerank(hints), 200).get("results"))
        .isEqualTo(post("/v2/rerank", rerank(""), 200).get("results"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"input\": [1, 2]` | input | parameter \"input\" is 1; wanted a text or a list of texts,"
            + " at least one; token ids are not taken",
        "`\"input\": [[1, 2]]` | input | parameter \"input\" is a list; wanted a text or a list of"
            + " texts, at least one; token ids are not taken",
        "`\"input\": []` | input | parameter \"input\" is missing or empty; wanted a text or a list"
            + " of texts, at least one; token ids are not taken",
        "`\"input\": \"x\", \"dimensions\": 5` | dimensions | parameter \"dimensions\" is 5; wanted"
            + " a whole number from 1 to 4",
        "`\"input\": \"x\", \"dimensions\": 0` | dimensions | parameter \"dimensions\" is 0; wanted"
            + " a whole number from 1 to 2147483647",
        "`\"input\": \"x\", \"encoding_format\": \"hex\"` | encoding_format | parameter"
            + " \"encoding_format\" is \"hex\"; wanted float or base64",
        "`\"input\": \"x\", \"truncate\": true` | truncate | parameter \"truncate\" is not known to"
            + " embeddings",
        "`\"input\": \"x\", \"model\": \"ranker\"` | model | parameter \"model\" is 'ranker', which"
            + " embeds no texts; wanted one that does"
      })
  void aMistakeIsNamedAsOpenAiDoes(String members, String parameter, String message) {
    JsonNode error =
        post("/v1/embeddings", "{\"model\": \"tiny\", " + members + "}", 400).get("error");
    assertThat(error.get("message").textValue()).isEqualTo(message);
    assertThat(error.get("param").textValue()).isEqualTo(parameter);
    assertThat(error.get("type").textValue()).isEqualTo("invalid_request_error");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"model\": \"ranker\", \"documents\": [\"a\"]}` | 400 | parameter \"query\" is missing;"
            + " wanted a text",
        "`{\"model\": \"ranker\", \"query\": \"q\", \"documents\": [{}]}` | 400 | parameter"
            + " \"documents\" is an object without a text; wanted a list of texts, or of objects"
            + " with a text, at least one",
        "`{\"model\": \"ranker\", \"query\": \"q\", \"documents\": [{\"text\": \"\"}]}` | 400 |"
            + " parameter \"documents\" has 0 bytes in element 0; wanted a text of 1 to 1048576"
            + " bytes",
        "`{\"model\": \"tiny\", \"query\": \"q\", \"documents\": [\"a\"]}` | 400 | parameter"
            + " \"model\" is 'tiny', which ranks no texts; wanted one that does",
        "`{\"model\": \"nobody\", \"query\": \"q\", \"documents\": [\"a\"]}` | 404 | the model"
            + " 'nobody' does not exist, or you have no access to it",
        "`{\"model\": \"ranker\", \"query\": \"q\", \"documents\": [\"a\"],"
            + " \"max_tokens_per_doc\": 0}` | 400 | parameter \"max_tokens_per_doc\" is 0; wanted a"
            + " whole number from 1 to 2147483647",
        "`{\"model\": \"ranker\", \"query\": \"q\", \"documents\": [\"a\"], \"priority\": 1000}` |"
            + " 400 | parameter \"priority\" is 1000; wanted a whole number from 0 to 999",
        "`{` | 400 | the body is not JSON at byte 1: Missing a name for object member."
      })
  void aMistakeIsNamedAsCohereDoes(String body, int status, String message) {
    assertThat(post("/v2/rerank", body, status).get("message").textValue()).startsWith(message);
  }

  @Test
  void nothingIsLeftOfAnswersAndRefusals() {
    long before = TensorMemory.openBlocks();
    embed("\"input\": " + TEXTS);
    post("/v1/rerank", rerank(", \"return_documents\": true"), 200);
    post("/v1/rerank", rerank(", \"return_documents\": true, \"no\": 1"), 400);
    post("/v1/rerank", rerank(", \"return_documents\": true").replace("ranker", "tiny"), 400);
    post("/v1/embeddings", "{\"model\": \"nobody\", \"input\": " + TEXTS + "}", 404);
    Polling.await("freed tensors", () -> TensorMemory.openBlocks() <= before);
  }

  @Test
  void anotherMethodAndALongerPathAreRefused() {
    assertThat(http.send("GET", "/v1/embeddings", Buffer.buffer()).status()).isEqualTo(405);
    post("/v2/rerank/x", "{}", 404);
  }
}
