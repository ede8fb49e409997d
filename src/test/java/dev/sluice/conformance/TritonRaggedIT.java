package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.testing.FlatMean;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.MaskedMean;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Ragged batches as a Triton configuration declares them, by every protocol. The model of pairs
 * waits for a second row longer than any test may take, so that two that are answered ran together.
 */
@Timeout(60)
class TritonRaggedIT {
  private static final String PAIRS =
      "max_batch_size: 2 dynamic_batching { max_queue_delay_microseconds: 600000000 }\n";
  private static final String MANY = "max_batch_size: 8 dynamic_batching { }\n";
  private static final JsonMapper JSON = new JsonMapper();

  private static RunningServer server;
  private static PredictClient client;
  private static HttpCaller http;
  private static ExecutorService threads;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    FlatMean.writeTo(models, "pairs", PAIRS + FlatMean.RAGGED);
    FlatMean.writeTo(models, "many", MANY + FlatMean.RAGGED);
    FlatMean.writeTo(models, "single", "max_batch_size: 4\n" + FlatMean.RAGGED);
    FlatMean.writeTo(
        models,
        "shared",
        MANY + "instance_group [{ count: 3 kind: KIND_CPU }]\n" + FlatMean.RAGGED);
    FlatMean.writeTo(models, "untyped", changed("TYPE_INT32", "TYPE_FP32"));
    FlatMean.writeTo(models, "unknown", changed("\"bounds\"", "\"edges\""));
    FlatMean.writeTo(models, "circular", changed("source_input: \"x\"", "source_input: \"sizes\""));
    new MaskedMean(false).writeTo(models, "square", "");
    Files.delete(models.resolve("square/model.yml"));
    Files.writeString(
        models.resolve("square/config.pbtxt"),
        MANY
            + "input [{ name: \"x\" data_type: TYPE_FP32 dims: [ -1 ] allow_ragged_batch: true }]");
    server = RunningServer.start(models);
    client = new PredictClient(server);
    http = new HttpCaller(server.port());
    threads = Executors.newCachedThreadPool();
  }

  private static String changed(String from, String to) {
    return MANY + FlatMean.RAGGED.replace(from, to);
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    http.close();
    client.close();
    server.close();
  }

  private static CompletableFuture<List<float[]>> ask(Protocol protocol, String model, int length) {
    return client.ask(threads, protocol, model, MaskedMean.row(length));
  }

  private static void assertAnswered(List<float[]> outputs, int length) {
    assertThat(outputs).hasSize(2);
    for (float[] output : outputs) {
      if (output.length == 1) {
        assertThat(output[0]).isCloseTo(MaskedMean.mean(MaskedMean.row(length)), within(1e-3f));
      } else {
        assertThat(output).hasSize(length);
        assertThat(output[0]).isEqualTo(2 * MaskedMean.row(length)[0]);
        assertThat(output[length - 1]).isEqualTo(2 * MaskedMean.row(length)[length - 1]);
      }
    }
  }

  private static JsonNode get(String path) throws IOException {
    return JSON.readTree(http.send("GET", path, Buffer.buffer()).text());
  }

  private static long runs(String model) throws IOException {
    return get("/v2/models/" + model + "/stats").at("/model_stats/0/execution_count").longValue();
  }

  @ParameterizedTest
  @EnumSource
  void requestsOfTwoLengthsRunTogetherByEachProtocol(Protocol protocol) throws IOException {
    long before = runs("pairs");
    var shorter = ask(protocol, "pairs", 3);
    var longer = ask(protocol, "pairs", 500);
    assertAnswered(shorter.join(), 3);
    assertAnswered(longer.join(), 500);
    assertThat(runs("pairs") - before).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"single", "shared", "many"})
  void requestsOfAllLengthsAtOnceAreAnsweredAsAlone(String model) {
    Protocol[] protocols = Protocol.values();
    var answers = new ArrayList<CompletableFuture<List<float[]>>>();
    for (int i = 0; i < 60; i++) {
      answers.add(ask(protocols[i % protocols.length], model, 2 + i));
    }
    for (int i = 0; i < answers.size(); i++) {
      assertAnswered(answers.get(i).join(), 2 + i);
    }
  }

  @Test
  void clientsSeeRowsAndNotWhatTheServerMakes() throws IOException {
    JsonNode metadata = get("/v2/models/many");
    assertThat(metadata.get("inputs").findValuesAsText("name")).containsExactly("x");
    assertThat(metadata.at("/inputs/0/shape")).hasToString("[-1,-1]");
    assertThat(metadata.at("/outputs/1/shape")).hasToString("[-1,-1]");
    JsonNode config = get("/v2/models/many/config");
    assertThat(config.at("/input/0/allow_ragged_batch").asBoolean()).isTrue();
    assertThat(config.at("/batch_input/0/target_name/0").asText()).isEqualTo("bounds");
    assertThat(config.at("/batch_output/0/source_input/0").asText()).isEqualTo("x");
  }

  @Test
  void onlyTheOutputsThatAreAskedForAreGiven() throws Exception {
    String body =
        """
        {"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,6]}],
         "outputs":[{"name":"mean"}]}
        """;
    JsonNode outputs = JSON.readTree(client.post("/v2/models/many/infer", body)).get("outputs");
    assertThat(outputs).hasSize(1);
    assertThat(outputs.at("/0/data/0").floatValue()).isEqualTo(3);
  }

  @Test
  void requestOfSeveralRowsRunsAloneAndOthersTogetherAfterIt() throws Exception {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[2,2],\"data\":[1,2,3,4]}]}";
    JsonNode outputs = JSON.readTree(client.post("/v2/models/pairs/infer", body)).get("outputs");
    assertThat(outputs.at("/1/shape")).hasToString("[2,2]");
    assertThat(outputs.at("/1/data")).hasToString("[2.0,4.0,6.0,8.0]");
    requestsOfTwoLengthsRunTogetherByEachProtocol(Protocol.V2_JSON);
  }

  @Test
  void shapesWithoutRowsAreRefusedAndFailNoOther() throws Exception {
    String body =
        "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[3],\"data\":[1,2,6]}]}";
    assertThatThrownBy(() -> client.post("/v2/models/pairs/infer", body))
        .hasMessageStartingWith("400 ")
        .hasMessageContaining("[3]")
        .hasMessageContaining("[-1,-1]");
    String made =
        "{\"inputs\":[{\"name\":\"sizes\",\"datatype\":\"FP32\",\"shape\":[1],\"data\":[1]}]}";
    assertThatThrownBy(() -> client.post("/v2/models/pairs/infer", made))
        .hasMessageStartingWith("400 ")
        .hasMessageContaining("sizes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          untyped  | batch_input 'bounds' is declared as FP32, the model has INT32
          unknown  | batch_input names 'edges', which is no input of the model
          circular | is made of 'sizes'; wanted an input that requests have
          square   | input 'x' has allow_ragged_batch, and the model has it with shape [-1,-1]; wanted [-1], the elements of all requests
          """)
  void configurationOfAnotherModelIsRefusedAtLoad(String model, String complaint) {
    assertThat(
            server.control().versions(model).orElseThrow().stream()
                .flatMap(version -> version.error().stream())
                .map(VersionStatus.Failure::message))
        .singleElement()
        .asString()
        .contains(complaint);
  }
}
