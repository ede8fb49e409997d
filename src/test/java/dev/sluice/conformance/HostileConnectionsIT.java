package dev.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.ChildServer;
import dev.sluice.testing.HostileConnections;
import dev.sluice.testing.HttpCaller;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.StepModels;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with the memory that {@code bin/sluice} gives it in a container of 512 MiB, beside which
 * hostile connections of every kind stand. For longer: {@code -Dsluice.hostile.seconds=60}.
 */
@Timeout(300)
class HostileConnectionsIT {
  private static final int SECONDS = Integer.getInteger("sluice.hostile.seconds", 8);
  private static final int CONNECTIONS = 200;
  private static final long CONTAINER = 512L << 20;

  /** Bytes that may stay: code of protocols that nothing had called before, and its profiles. */
  private static final long COMPILED = 64L << 20;

  /** The server looks each 15 s whether it is at rest, and the JVM trims each minute. */
  private static final Duration RETURN = Duration.ofSeconds(100);

  /** A quarter of the container is the heap, a fifth are network buffers: see the start script. */
  private static final String REQUEST =
      "{\"inputs\":[{\"name\":\"x\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}";

  private static final Pattern HELD =
      Pattern.compile("(?m)^sluice_memory_used_bytes\\{[^}]*} ([0-9.eE+]+)$");

  @TempDir private Path models;

  /** What a client saw that does nothing wrong. */
  private record Seen(int requests, List<String> errors, long slowestMicros, long p99Micros) {}

  @Test
  void theServerStaysWithinItsMemoryAndServesOthers() throws IOException {
    OnnxModelWriter.twice().writeTo(Files.createDirectories(models.resolve("twice/1")));
    StepModels.wideCounter(models, "wide", 5_000);
    int port = ChildServer.freePort();
    try (var server = ChildServer.small(models, port);
        var client = new HttpCaller(port)) {
      server.awaitModel("twice/1");
      server.awaitModel("wide/1");
      Seen before = ask(client, Duration.ofSeconds(Math.max(2, SECONDS / 4)));
      long residentBefore = status(server, "VmRSS");
      Seen beside;
      try (var _ = new HostileConnections(port, CONNECTIONS)) {
        beside = ask(client, Duration.ofSeconds(SECONDS));
      }
      awaitNothingHeld(client);
      Seen after = ask(client, Duration.ofSeconds(2));
      long peak = status(server, "VmHWM");
      long residentAfter = awaitReturn(client, server, residentBefore);
      System.out.printf(
          "alone %s, beside %s, after %s; resident before %d MiB, peak %d MiB, after %d MiB%n",
          before, beside, after, residentBefore >> 20, peak >> 20, residentAfter >> 20);
      assertThat(beside.errors()).isEmpty();
      assertThat(after.errors()).isEmpty();
      assertThat(beside.requests()).isPositive();
      assertThat(peak).isLessThan(CONTAINER);
      assertThat(residentAfter).isLessThanOrEqualTo(residentBefore + COMPILED);
      assertThat(server.output()).noneMatch(line -> line.contains(" ERROR "));
      server.terminate();
      assertThat(server.exitCode()).isZero();
    }
  }

  private static Seen ask(HttpCaller client, Duration time) {
    List<Long> micros = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      long begin = System.nanoTime();
      var answer = client.send("POST", "/v2/models/twice/infer", Buffer.buffer(REQUEST));
      micros.add((System.nanoTime() - begin) / 1_000);
      if (answer.status() != 200) {
        errors.add(answer.status() + " " + answer.text());
      }
    }
    Collections.sort(micros);
    return new Seen(
        micros.size(), errors, micros.getLast(), micros.get((int) (micros.size() * 0.99)));
  }

  /** Until all that requests held is given back. */
  private static void awaitNothingHeld(HttpCaller client) {
    long held;
    do {
      held = 0;
      Matcher line = HELD.matcher(client.send("GET", "/metrics", Buffer.buffer()).text());
      while (line.find()) {
        held += (long) Double.parseDouble(line.group(1));
      }
    } while (held > 64 * 1024);
  }

  /**
   * Until the resident memory is near what it was: code that the attack has had compiled stays. A
   * client asks now and then meanwhile.
   */
  private static long awaitReturn(HttpCaller client, ChildServer server, long before)
      throws IOException {
    long end = System.nanoTime() + RETURN.toNanos();
    long resident = status(server, "VmRSS");
    while (resident > before + COMPILED && System.nanoTime() < end) {
      assertThat(client.send("GET", "/v2/health/live", Buffer.buffer()).status()).isEqualTo(200);
      LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      resident = status(server, "VmRSS");
    }
    return resident;
  }

  private static long status(ChildServer server, String line) throws IOException {
    for (String one : Files.readAllLines(Path.of("/proc/" + server.pid() + "/status"))) {
      if (one.startsWith(line + ":")) {
        return Long.parseLong(one.replaceAll("[^0-9]", "")) << 10;
      }
    }
    throw new AssertionError("no " + line);
  }
}
