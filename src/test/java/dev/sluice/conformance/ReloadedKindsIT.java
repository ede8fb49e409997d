package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.VersionState;
import dev.sluice.testing.PluginJar;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.StepModels;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each kind of model, whose versions take turns while some clients ask and others leave in the
 * middle: every answer is good, and no tensor is left open.
 */
@Timeout(180)
class ReloadedKindsIT {
  private static final int TURNS = 12;
  private static final int CLIENTS = 2;

  /** Within this time a client leaves that does not wait for its answer. */
  private static final Duration HASTE = Duration.ofMillis(2);

  /** In the last message of a stream. */
  private static final String LAST = "21.0";

  private static final String NUMBERS = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
  private static final String SUMS =
      """
      {"inputs": [
        {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": %1$s},
        {"name": "INPUT1", "datatype": "INT32", "shape": [1, 16], "data": %1$s}]}
      """
          .formatted(NUMBERS);

  /** How each model is asked, by its name. */
  private static final Map<String, String> PATHS =
      Map.of(
          "plain", "infer",
          "cached", "infer",
          "converted", "infer",
          "cached_steps", "infer",
          "seq", "infer",
          "converted_seq", "infer",
          "counter", "generate_stream",
          "converted_counter", "generate_stream");

  @TempDir private Path models;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger sequences = new AtomicInteger();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean over;

  @Test
  void everyAnswerIsGoodAndNothingIsLeftOpenWhileVersionsTakeTurns() throws Exception {
    write();
    try (var server =
            RunningServer.start(
                RunningServer.settings(
                    RunningServer.LISTENER,
                    RunningServer.trusting(models, Duration.ofMillis(10))));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        http) {
      List<Future<?>> clients = new ArrayList<>();
      for (String model : PATHS.keySet()) {
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(threads.submit(() -> askAndLeave(server, model)));
        }
      }
      try {
        for (int version = 2; version <= TURNS; version++) {
          takeTurns(server, version);
        }
      } finally {
        over = true;
      }
      for (Future<?> client : clients) {
        client.get();
      }
    }
    assertThat(failures).isEmpty();
  }

  private void write() throws IOException {
    sums("plain", "");
    sums("cached", "response_cache: true\n");
    sums("converted", "");
    TestModels.copy(Path.of("src/test/models/oip/seq"), models.resolve("seq"));
    TestModels.copy(Path.of("src/test/models/oip/seq"), models.resolve("converted_seq"));
    counter("converted_counter");
    counter("counter");
    Files.createDirectories(models.resolve("cached_steps/1"));
    Files.writeString(
        models.resolve("cached_steps/model.yml"),
        """
        max_batch_size: 8
        response_cache: true
        ensemble:
          steps:
            - model: plain
              inputs: { INPUT0: INPUT0, INPUT1: INPUT1 }
              outputs: { OUTPUT0: OUTPUT0, OUTPUT1: OUTPUT1 }
        """);
    for (String model : List.of("converted", "converted_seq", "converted_counter")) {
      new PluginJar().file("Same").service("Converter", "Same").into(models.resolve(model + "/1"));
    }
  }

  private void sums(String name, String settings) throws IOException {
    TestModels.copy(Path.of("src/test/models/oip/addsub"), models.resolve(name));
    Files.writeString(models.resolve(name + "/model.yml"), "max_batch_size: 8\n" + settings);
  }

  private void counter(String name) throws IOException {
    Path made = StepModels.counter(models, "{ feedback: { y: x }, stop: { steps: 20 } }");
    Path version = models.resolve(name + ".made");
    Files.move(made, version);
    Files.createDirectories(models.resolve(name));
    Files.move(version, models.resolve(name + "/1"));
    Files.move(models.resolve(name + "/1/model.yml"), models.resolve(name + "/model.yml"));
  }

  /** Puts the next version of each model beside its last one, which goes when that is there. */
  private void takeTurns(RunningServer server, int version) throws IOException {
    for (String model : PATHS.keySet()) {
      Path folder = models.resolve(model);
      Path next = folder.resolve("." + version);
      TestModels.copy(folder.resolve(Integer.toString(version - 1)), next);
      Files.move(next, folder.resolve(Integer.toString(version)));
    }
    for (String model : PATHS.keySet()) {
      Polling.await(
          model + "/" + version, () -> state(server, model, version) == VersionState.AVAILABLE);
    }
  }

  private static VersionState state(RunningServer server, String model, long version) {
    return server.control().versions(model).stream()
        .flatMap(List::stream)
        .filter(each -> each.version() == version)
        .map(each -> each.state())
        .findFirst()
        .orElse(VersionState.START);
  }

  /** Waits for one answer, and not for the next. */
  private void askAndLeave(RunningServer server, String model) {
    while (!over) {
      try {
        var answer = http.send(request(server, model).build(), BodyHandlers.ofString());
        if (answer.statusCode() != 200 || !isWhole(model, answer.body())) {
          failures.add(model + ": " + answer.statusCode() + " " + answer.body());
        }
        http.send(request(server, model).timeout(HASTE).build(), BodyHandlers.discarding());
      } catch (HttpTimeoutException e) {
        // It has left.
      } catch (IOException | InterruptedException e) {
        failures.add(model + ": " + e);
      }
    }
  }

  private static boolean isWhole(String model, String body) {
    return !body.contains("error") && (!model.endsWith("counter") || body.contains(LAST));
  }

  private HttpRequest.Builder request(RunningServer server, String model) {
    String body =
        switch (model) {
          case "seq", "converted_seq" -> step(sequences.incrementAndGet());
          case "counter", "converted_counter" -> "{\"x\": 1}";
          default -> SUMS;
        };
    return HttpRequest.newBuilder(
            URI.create(server.url() + "/v2/models/" + model + "/" + PATHS.get(model)))
        .POST(BodyPublishers.ofString(body));
  }

  /** A sequence of one request. */
  private static String step(int sequence) {
    return """
    {"inputs": [{"name": "INPUT", "datatype": "INT32", "shape": [1, 1], "data": [3]}],
     "parameters": {"sequence_id": %d, "sequence_start": true, "sequence_end": true}}
    """
        .formatted(sequence);
  }
}
