package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.MaskedMean;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.PredictClient;
import dev.sluice.testing.PredictClient.Protocol;
import dev.sluice.testing.RunningServer;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requests whose rows differ in length, by every protocol. The model of pairs waits for a second
 * row longer than any test may take, so that two that are answered ran together.
 */
@Timeout(60)
class RaggedBatchingIT {
  private static final String PAIRS = "max_batch_size: 2\nmax_queue_delay: 10m\n";
  private static final JsonMapper JSON = new JsonMapper();

  private static RunningServer server;
  private static PredictClient client;
  private static HttpCaller http;
  private static ExecutorService threads;

  @BeforeAll
  static void start(@TempDir Path models) throws IOException {
    var mean = new MaskedMean(false);
    mean.writeTo(models, "pairs", PAIRS + MaskedMean.RAGGED);
    mean.writeTo(models, "many", "max_batch_size: 16\n" + MaskedMean.RAGGED);
    mean.writeTo(models, "isolated", "isolation: process\n" + PAIRS + MaskedMean.RAGGED);
    mean.writeTo(
        models, "sized", "max_batch_size: 4\nallowed_batch_sizes: [4]\n" + MaskedMean.RAGGED);
    mean.writeTo(models, "uncut", PAIRS + "ragged: { inputs: [{ name: x }], mask: mask }\n");
    mean.writeTo(models, "misnamed", PAIRS + "ragged: { inputs: [{ name: y }] }\n");
    var careless = new MaskedMean(true);
    careless.writeTo(models, "careless", PAIRS + MaskedMean.RAGGED);
    careless.writeTo(models, "trusted", PAIRS + MaskedMean.RAGGED + "  prove: false\n");
    Files.writeString(twice(models, "fixed"), PAIRS + "ragged: { inputs: [{ name: x }] }\n");
    server = RunningServer.start(models);
    client = new PredictClient(server);
    http = new HttpCaller(server.port());
    threads = Executors.newCachedThreadPool();
  }

  private static Path twice(Path models, String name) throws IOException {
    Path model = models.resolve(name);
    OnnxModelWriter.twice().writeTo(Files.createDirectories(model.resolve("1")));
    return model.resolve("model.yml");
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
    float mean = MaskedMean.mean(MaskedMean.row(length));
    assertThat(outputs).hasSize(2);
    for (float[] output : outputs) {
      if (output.length == 1 && length > 1) {
        assertThat(output[0]).isCloseTo(mean, within(1e-4f));
      } else {
        assertThat(output).hasSize(length);
        assertThat(output[length - 1])
            .isCloseTo(MaskedMean.row(length)[length - 1] - mean, within(1e-4f));
      }
    }
  }

  private static long runs(String model) throws IOException {
    String text = http.send("GET", "/v2/models/" + model + "/stats", Buffer.buffer()).text();
    return JSON.readTree(text).at("/model_stats/0/execution_count").longValue();
  }

  private static void assertPairRunsOnce(String model, Protocol protocol) throws IOException {
    long before = runs(model);
    var shorter = ask(protocol, model, 3);
    var longer = ask(protocol, model, 5);
    assertAnswered(shorter.join(), 3);
    assertAnswered(longer.join(), 5);
    assertThat(runs(model) - before).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"V1_ROWS", "V1_COLUMNS"})
  void rowsOfTwoLengthsRunTogetherByEachProtocol(Protocol protocol) throws IOException {
    assertPairRunsOnce("pairs", protocol);
  }

  @Test
  void rowsOfTwoLengthsRunTogetherInAProcessOfTheModelsOwn() throws IOException {
    assertPairRunsOnce("isolated", Protocol.V2_GRPC_RAW);
  }

  /** In V1 a model with several inputs takes them by name, also those that may be left out. */
  @ParameterizedTest
  @CsvSource({"instances, predictions", "inputs, outputs"})
  void rowsOfV1RunTogetherWithRowsOfTensorflowServing(String form, String answer)
      throws IOException {
    long before = runs("pairs");
    String row = form.equals("inputs") ? "{\"x\":[%s]}" : "[{\"x\":%s}]";
    String body = "{\"%s\":%s}".formatted(form, row.formatted(Arrays.toString(MaskedMean.row(7))));
    var one = CompletableFuture.supplyAsync(() -> post("/v1/models/pairs:predict", body), threads);
    var other = ask(Protocol.TFS_CONTENT, "pairs", 12);
    JsonNode outputs = one.join().get(answer);
    JsonNode centred = form.equals("inputs") ? outputs.at("/centred/0") : outputs.at("/0/centred");
    assertThat(centred).hasSize(7);
    assertThat(centred.get(0).floatValue())
        .isCloseTo(MaskedMean.row(7)[0] - MaskedMean.mean(MaskedMean.row(7)), within(1e-4f));
    assertAnswered(other.join(), 12);
    assertThat(runs("pairs") - before).isEqualTo(1);
  }

  @Test
  void rowOf5DoesNotWaitWithARowOf3000() throws IOException {
    long before = runs("pairs");
    List<Integer> lengths = List.of(5, 3000, 7, 2900);
    var answers = lengths.stream().map(length -> ask(Protocol.V2_BINARY, "pairs", length)).toList();
    for (int i = 0; i < answers.size(); i++) {
      assertAnswered(answers.get(i).join(), lengths.get(i));
    }
    assertThat(runs("pairs") - before).isEqualTo(2);
  }

  @Test
  void rowsOfAllLengthsAtOnceAreAnsweredAsAlone() {
    Protocol[] protocols = {
      Protocol.V2_JSON, Protocol.V2_GRPC_RAW, Protocol.TFS_VALUES, Protocol.GRPS_HTTP
    };
    var answers = new ArrayList<CompletableFuture<List<float[]>>>();
    for (int i = 0; i < 200; i++) {
      answers.add(ask(protocols[i % protocols.length], i % 5 == 0 ? "sized" : "many", 2 + i % 60));
    }
    IntStream.range(0, answers.size())
        .forEach(i -> assertAnswered(answers.get(i).join(), 2 + i % 60));
  }

  @Test
  void modelShowsThatTheMaskMayBeLeftOut() throws IOException {
    String config = http.send("GET", "/v2/models/many/config", Buffer.buffer()).text();
    JsonNode inputs = JSON.readTree(config).get("input");
    assertThat(inputs.findValuesAsText("name")).containsExactly("x", "mask");
    assertThat(inputs.get(0).get("optional").asBoolean()).isFalse();
    assertThat(inputs.get(1).get("optional").asBoolean()).isTrue();
  }

  private static String masked(String x, String mask, int length, int maskLength) {
    return """
    {"inputs":[{"name":"x","datatype":"FP32","shape":[1,%d],"data":%s},
               {"name":"mask","datatype":"FP32","shape":[1,%d],"data":%s}]}
    """
        .formatted(length, x, maskLength, mask);
  }

  private static JsonNode post(String path, String body) {
    try {
      return JSON.readTree(client.post(path, body));
    } catch (Exception e) {
      throw new AssertionError(body, e);
    }
  }

  @Test
  void masksThatClientsGiveArePaddedWithZeros() throws IOException {
    long before = runs("pairs");
    var one =
        CompletableFuture.supplyAsync(
            () -> post("/v2/models/pairs/infer", masked("[2,4,100]", "[1,1,0]", 3, 3)), threads);
    var other =
        CompletableFuture.supplyAsync(
            () -> post("/v2/models/pairs/infer", masked("[8]", "[1]", 1, 1)), threads);
    assertThat(one.join().at("/outputs/0/data/0").floatValue()).isEqualTo(3);
    assertThat(other.join().at("/outputs/0/data/0").floatValue()).isEqualTo(8);
    assertThat(runs("pairs") - before).isEqualTo(1);
  }

  @Test
  void maskOfAnotherLengthIsRefusedByNameAndFailsNoOther() throws Exception {
    assertThatThrownBy(
            () -> client.post("/v2/models/pairs/infer", masked("[2,4]", "[1,1,1]", 2, 3)))
        .hasMessage(
            "400 {\"error\":\"input \\\"mask\\\" has shape [1,3]; wanted 2 elements along"
                + " dimension 1, as input \\\"x\\\" of shape [1,2] has\"}");
    assertPairRunsOnce("pairs", Protocol.V2_JSON);
  }

  @Test
  void requestWhoseTimeIsOverWhileItWaitsIsLeftOutAndTheNextPairRuns() throws IOException {
    long before = runs("pairs");
    String late =
        """
        {"parameters":{"timeout":1000},
         "inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}
        """;
    assertThatThrownBy(() -> client.post("/v2/models/pairs/infer", late))
        .hasMessageContaining("Request timeout expired");
    assertPairRunsOnce("pairs", Protocol.V2_JSON);
    assertThat(runs("pairs") - before).isEqualTo(1);
  }

  private static String problem(String model) {
    return server.control().versions(model).orElseThrow().stream()
        .flatMap(version -> version.error().stream())
        .map(VersionStatus.Failure::message)
        .findFirst()
        .orElse("");
  }

  @Test
  void modelWhoseAnswersPaddingChangesIsRefusedAtLoad() {
    assertThat(problem("careless"))
        .isEqualTo(
            "model careless/1: its settings want rows of different lengths to run together, and its"
                + " output 'mean' for a row of length 1 is another once that is padded to 9");
  }

  @Test
  void modelWhoseAnswersPaddingChangesIsServedIfTheSettingsGiveTheirWord() throws IOException {
    assertThat(problem("trusted")).isEmpty();
    assertThat(runs("trusted")).isZero();
  }

  @Test
  void checkSaysWhatWasProved() {
    assertThat(server.advice())
        .contains(
            "many/1: rows of different lengths run together, padded to the longest; on made-up rows"
                + " this changes no answer",
            "trusted/1: rows of different lengths run together, padded to the longest; whether this"
                + " changes answers was not tried (ragged.prove)");
  }

  @Test
  void outputThatIsNotCutIsNamedAtLoad() {
    assertThat(problem("uncut"))
        .endsWith(
            "its output 'centred' for a row of length 1 is another once that is padded to 9: the"
                + " shape is [1,9] in place of [1,1]; wanted one that does not change, or the"
                + " dimension under ragged.outputs");
  }

  @Test
  void settingsOfAnotherModelAreRefusedAtLoad() {
    assertThat(problem("misnamed"))
        .isEqualTo("model misnamed/1: its settings under ragged: the model has no input 'y'");
    assertThat(problem("fixed"))
        .isEqualTo(
            "model fixed/1: its settings under ragged: input 'x' has the shape [-1,2]; wanted one"
                + " whose dimension 1 is open");
  }
}
