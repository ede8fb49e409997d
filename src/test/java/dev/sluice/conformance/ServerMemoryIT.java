package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server holds that does nothing, and what it gives back when a burst is over. */
@Timeout(180)
class ServerMemoryIT {
  private static final int CLIENTS = 16;
  private static final int REQUESTS_OF_EACH = 6;
  private static final int ROWS = 300_000;

  /** The server looks each 15 s whether it is at rest. */
  private static final Duration RETURN = Duration.ofSeconds(90);

  private static final Pattern COMMITTED =
      Pattern.compile("(?m)^jvm_memory_committed_bytes\\{area=\"heap\"[^}]*} ([0-9.eE+]+)$");

  private static final String REQUEST =
      "{\"inputs\":[{\"name\":\"x\",\"shape\":[%d,2],\"datatype\":\"FP32\",\"data\":[1%s]}]}";

  @TempDir private Path models;

  @Test
  void aServerWithTwoCoresGivesBackTheHeapOfABurst() throws Exception {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    int port = ChildServer.freePort();
    try (var server = ChildServer.onTwoCores(models, port);
        var client = new HttpCaller(port)) {
      server.awaitModel("twice/1");
      double before = committed(client);
      burst(client);
      assertThat(committed(client)).as("the heap has grown").isGreaterThan(2 * before);
      assertThat(awaitReturn(client, 1.2 * before)).isLessThan(1.2 * before);
      server.terminate();
      assertThat(server.exitCode()).isZero();
    }
  }

  /**
   * It is for settings and calls that most servers do not have, and would be in the memory of all.
   */
  @Test
  void aServerLoadsNothingThatNeitherItsSettingsNorItsCallersAskFor() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    Path loaded = models.resolve("classes.log");
    int port = ChildServer.freePort();
    try (var server = ChildServer.onTwoCores(models, port, "-Xlog:class+load:file=" + loaded);
        var client = new HttpCaller(port)) {
      server.awaitModel("twice/1");
      client.answer("/v2/models/twice/infer", REQUEST.formatted(1, ",1"));
      server.terminate();
      assertThat(server.exitCode()).isZero();
    }
    assertThat(loaded)
        .content()
        .contains(" dev.sluice.transport.http.HttpDispatcher ")
        .doesNotContain(" com.fasterxml.jackson.databind.ObjectMapper ")
        .doesNotContain(" dev.sluice.config.compat.triton.proto.ModelConfig$Builder ")
        .as("OpenTelemetry, by which nothing is exported")
        .doesNotContain(" io.opentelemetry.")
        .as("descriptions of messages, for which gRPC's reflection is not asked")
        .doesNotContain(" com.google.protobuf.DescriptorProtos ")
        .doesNotContain(" io.vertx.grpc.health.HealthService ");
  }

  private static void burst(HttpCaller client) throws ExecutionException, InterruptedException {
    var body = Buffer.buffer(REQUEST.formatted(ROWS, ",1".repeat(2 * ROWS - 1)));
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var clients =
          IntStream.range(0, CLIENTS)
              .<Future<?>>mapToObj(_ -> threads.submit(() -> ask(client, body)))
              .toList();
      for (Future<?> asked : clients) {
        asked.get();
      }
    }
  }

  private static void ask(HttpCaller client, Buffer body) {
    for (int i = 0; i < REQUESTS_OF_EACH; i++) {
      assertThat(client.send("POST", "/v2/models/twice/infer", body).status()).isEqualTo(200);
    }
  }

  private static double awaitReturn(HttpCaller client, double wanted) {
    long end = System.nanoTime() + RETURN.toNanos();
    double committed = committed(client);
    while (committed >= wanted && System.nanoTime() < end) {
      LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
      committed = committed(client);
    }
    return committed;
  }

  private static double committed(HttpCaller client) {
    Matcher line = COMMITTED.matcher(client.send("GET", "/metrics", Buffer.buffer()).text());
    double sum = 0;
    while (line.find()) {
      sum += Double.parseDouble(line.group(1));
    }
    return sum;
  }
}
