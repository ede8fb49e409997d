package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.TestModels;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sequences of a real model, many more of them than it takes at once. */
@Timeout(60)
class SequencesIT {
  private static final int SEQUENCES = 48;
  private static final int STEPS = 10;

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void everySequenceHasItsOwnSumHoweverManyRunBesideIt() {
    long openBlocks = TensorMemory.openBlocks();
    try (RunningServer server = RunningServer.start(Path.of("src/test/models/oip"))) {
      List<CompletableFuture<String>> lasts = new ArrayList<>();
      for (int sequence = 1; sequence <= SEQUENCES; sequence++) {
        lasts.add(sequence(server, sequence));
      }
      for (int sequence = 1; sequence <= SEQUENCES; sequence++) {
        assertThat(lasts.get(sequence - 1).join()).contains("\"data\":[" + sequence * STEPS + "]");
      }
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
  }

  @Test
  void aSequenceThatIsSilentForLongerThanItMayIsForgottenAndItsPlaceGiven(@TempDir Path models)
      throws Exception {
    long openBlocks = TensorMemory.openBlocks();
    TestModels.copy(Path.of("src/test/models/oip/seq"), models.resolve("seq"));
    Path settings = models.resolve("seq/model.yml");
    String hasty = "max_idle: 1ms, max_sequences: 1";
    Files.writeString(
        settings, Files.readString(settings).replace("max_idle: 1m, max_sequences: 4", hasty));
    try (RunningServer server = RunningServer.start(models)) {
      assertThat(ask(server, body(7, true, false)).join()).contains("\"data\":[7]");
      // There is one place: the second sequence is answered when the first is forgotten.
      assertThat(ask(server, body(8, true, true)).join()).contains("\"data\":[8]");
      HttpResponse<String> late = send(server, body(7, false, true)).join();
      assertThat(late.statusCode()).isEqualTo(400);
      assertThat(late.body())
          .contains("must specify the START flag on the first request of the sequence");
    }
    assertThat(TensorMemory.openBlocks()).isEqualTo(openBlocks);
  }

  @Test
  void aConverterStandsBeforeSequencesAndEachRequestGivesItsModelBackOnce(@TempDir Path models)
      throws Exception {
    TestModels.copy(Path.of("src/test/models/oip/seq"), models.resolve("seq"));
    new PluginJar().file("Same").service("Converter", "Same").into(models.resolve("seq/1"));
    try (RunningServer server = RunningServer.startWithPlugins(models)) {
      assertThat(sequence(server, 3).join()).contains("\"data\":[" + 3 * STEPS + "]");
      assertThat(sequence(server, 4).join()).contains("\"data\":[" + 4 * STEPS + "]");
      assertThat(server.control().ready()).isTrue();
    }
  }

  /** The last answer of a sequence that adds its own number again and again. */
  private CompletableFuture<String> sequence(RunningServer server, int number) {
    CompletableFuture<String> last = CompletableFuture.completedFuture("");
    for (int step = 1; step <= STEPS; step++) {
      String body = body(number, step == 1, step == STEPS);
      last = last.thenCompose(_ -> ask(server, body));
    }
    return last;
  }

  private CompletableFuture<String> ask(RunningServer server, String body) {
    return send(server, body)
        .thenApply(answer -> {
          assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
          return answer.body();
        });
  }

  private CompletableFuture<HttpResponse<String>> send(RunningServer server, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + "/v2/models/seq/infer"))
            .POST(BodyPublishers.ofString(body))
            .build();
    return client.sendAsync(request, BodyHandlers.ofString());
  }

  private static String body(int number, boolean start, boolean end) {
    return """
    {"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [%d]}],
     "parameters": {"sequence_id": %d, "sequence_start": %b, "sequence_end": %b}}
    """
        .formatted(number, number, start, end);
  }
}
