package dev.sluice.conformance;

import static dev.sluice.testing.OtlpCollector.names;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.config.server.AccessLogConfig.Format;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.HttpCaller.Answer;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.OtlpCollector;
import dev.sluice.testing.Polling;
import dev.sluice.testing.RecordCopy;
import dev.sluice.testing.RunningServer;
import dev.sluice.testing.ServerTiming;
import dev.sluice.testing.TestModels;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the time of calls went that have no answer from their model, by all that tells of it. */
class UnansweredCallsIT {
  private static final String SLOW = "/v2/models/slow/infer";
  private static final String ROW =
      """
      {"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, 4], "data": [0, 0, 0, 0]}]}\
      """;
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  @TempDir private Path folder;
  private Path log;
  private OtlpCollector collector;
  private RunningServer server;
  private HttpCaller caller;

  @BeforeEach
  void start() throws IOException {
    Path models = folder.resolve("models");
    TestModels.writeSlow(models.resolve("slow/1"), 20);
    Files.writeString(models.resolve("slow/model.yml"), "concurrency: 1\n");
    new OnnxModelWriter()
        .input("at", OnnxModelWriter.INT64, "1")
        .output("y", OnnxModelWriter.FLOAT, "1", "2")
        .matrix("table", 3, 2, new float[6])
        .node("Gather", "y", "table", "at")
        .writeTo(Files.createDirectories(models.resolve("picky/1")));
    TestModels.copy(TestModels.sample("half_plus_two", "1"), models.resolve("half_plus_two/1"));
    Files.writeString(models.resolve("half_plus_two/model.yml"), "explain: { method: shapley }\n");
    log = folder.resolve("access.log");
    collector = new OtlpCollector();
    server =
        RunningServer.start(
            RunningServer.logging(
                RecordCopy.with(
                    RunningServer.settings(models),
                    "observability.tracing",
                    collector.tracing("sluice")),
                log,
                Format.JSON));
    caller = new HttpCaller(server.port());
  }

  @AfterEach
  void stop() {
    caller.close();
    server.close();
    collector.close();
  }

  private Answer ask(String target, String body, Map<String, String> headers) {
    MultiMap all = MultiMap.caseInsensitiveMultiMap().add("X-Server-Timing", "1").addAll(headers);
    return caller.send("POST", target, all, Buffer.buffer(body));
  }

  private Answer traced(String target, String body, String timeout) {
    return ask(
        target,
        body,
        Map.of("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01", "Request-Timeout", timeout));
  }

  /** The line of the call that was traced. The log is complete when the server has stopped. */
  private JsonNode line() throws IOException {
    server.close();
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      JsonNode read = new JsonMapper().readTree(line);
      if (read.path("trace_id").asText().equals(TRACE)) {
        lines.add(read);
      }
    }
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }

  private static ServerTiming timing(Answer answer) {
    ServerTiming times = ServerTiming.of(answer.headers().get("Server-Timing"));
    times.assertAddsUp();
    return times;
  }

  @Test
  void aCallWhoseTimeIsUpInTheQueueHasWaitedThere() throws Exception {
    var first = CompletableFuture.supplyAsync(() -> ask(SLOW, ROW, Map.of()));
    Polling.await("the first runs", () -> !longestRun().endsWith(" 0.0"));

    Answer late = traced(SLOW, ROW, "50ms");
    assertThat(late.status()).isEqualTo(504);
    assertThat(timing(late).time("queue")).isPositive();
    assertThat(timing(late).times()).doesNotContainKey("run");
    assertThat(names(collector.trace(TRACE))).contains("queue").doesNotContain("run");
    assertThat(first.join().status()).isEqualTo(200);
    JsonNode line = line();
    assertThat(line.path("queue_ms").asDouble()).isPositive();
    assertThat(line.has("run_ms")).isFalse();
  }

  private String longestRun() {
    return caller
        .send("GET", "/metrics", Buffer.buffer())
        .text()
        .lines()
        .filter(line -> line.startsWith("sluice_model_longest_run_seconds{model=\"slow\""))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aCallWhoseTimeIsUpInItsRunHasRun() throws Exception {
    Answer late = traced(SLOW, ROW, "100ms");
    assertThat(late.status()).isEqualTo(504);
    assertThat(timing(late).time("run")).isPositive();
    assertThat(names(collector.trace(TRACE))).contains("queue", "run");
    JsonNode line = line();
    assertThat(line.path("run_ms").asDouble()).isPositive();
    assertThat(line.path("queue_ms").asDouble(-1)).isNotNegative();
  }

  @Test
  void anExplanationHasTheRunsOfAllThatItAsksItsModel() throws Exception {
    Answer answer = traced("/v1/models/half_plus_two:explain", "{\"instances\": [1.0]}", "9s");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(timing(answer).times()).containsKeys("queue", "run");
    assertThat(names(collector.trace(TRACE))).contains("queue", "run");
    JsonNode line = line();
    assertThat(line.path("run_ms").asDouble()).isPositive();
    assertThat(line.path("queue_ms").asDouble(-1)).isNotNegative();
  }

  @Test
  void aCallWhoseRunFailsHasRun() throws Exception {
    String beyond =
        "{\"inputs\": [{\"name\": \"at\", \"datatype\": \"INT64\", \"shape\": [1], \"data\":"
            + " [9]}]}";
    Answer failed = traced("/v2/models/picky/infer", beyond, "9s");
    assertThat(failed.status()).as(failed.text()).isEqualTo(400);
    assertThat(timing(failed).times()).containsKeys("queue", "run");
    assertThat(names(collector.trace(TRACE))).contains("queue", "run");
    JsonNode line = line();
    assertThat(line.path("run_ms").asDouble()).isPositive();
    assertThat(line.path("queue_ms").asDouble(-1)).isNotNegative();
  }
}
