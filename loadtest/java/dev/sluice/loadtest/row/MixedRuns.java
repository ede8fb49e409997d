package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What runs of a second cost the tiny ones beside them, of the same model with two workers, by its
 * settings or by default.
 */
final class MixedRuns implements Workload {
  private static final int CONNECTIONS = 8;

  /** Beside one long request a second, these are 99 of 100. */
  private static final double RATE = 99;

  private static final double SLOWER = 3;
  private static final long LONG_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long FIRST_TURNS = 10_000;

  @Override
  public String name() {
    return "mixed-runs";
  }

  private static Request turns(String model, long turns) {
    String body =
        "{\"inputs\":[{\"name\":\"steps\",\"datatype\":\"INT64\",\"shape\":[1],\"data\":[%d]}]}"
            .formatted(turns);
    return new Request(
        "/v2/models/" + model + "/infer",
        Map.of("Content-Type", "application/json"),
        body.getBytes(UTF_8));
  }

  /** Both workers run at once: the one with the long run, and that of the tiny ones. */
  @Override
  public int serverCores() {
    return 2;
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(lab.models().loops())) {
      long second = turnsOfASecond(sluice);
      return List.of(
          row(lab, sluice, second, Models.LOOP, "concurrency: 2"),
          row(lab, sluice, second, Models.LOOP_OPEN, "default settings"));
    }
  }

  private static Row row(
      Lab lab, ServerProcess sluice, long second, String model, String settings) {
    Request tiny = turns(model, 1);
    Request slow = turns(model, second);
    Load load = lab.load(CONNECTIONS);
    var quick = new Watched(sluice, () -> lab.wrk().runAt(RATE, sluice.url(), tiny, load));
    List<Measurement> sides = lab.byTurns(List.of(() -> beside(sluice, slow, quick), quick));
    Measurement mixed = sides.getFirst();
    Measurement alone = sides.getLast();
    return Row.of(
        "1 % runs of a second, 99 % tiny ones, " + settings,
        "p99 of tiny ones alone ÷ p99",
        alone.p99() / mixed.p99(),
        1 / SLOWER,
        mixed,
        alone,
        String.format(Locale.ROOT, "p99 alone %.1f ms", alone.p99() / 1000));
  }

  /** How many turns of the loop take a second here. */
  private static long turnsOfASecond(ServerProcess sluice) {
    long turns = FIRST_TURNS;
    long nanos = nanos(sluice, turns);
    while (nanos < LONG_NANOS / 2) {
      turns *= 2;
      nanos = nanos(sluice, turns);
    }
    return turns * LONG_NANOS / nanos;
  }

  private static long nanos(ServerProcess sluice, long turns) {
    long begun = System.nanoTime();
    Answer.to(turns(Models.LOOP, turns), sluice);
    return System.nanoTime() - begun;
  }

  /** Measures while one long request a second comes, the next not before the last is answered. */
  private static Measurement beside(
      ServerProcess sluice, Request request, Round<Measurement> round) {
    var over = new CountDownLatch(1);
    CompletableFuture<Void> asking = CompletableFuture.runAsync(() -> ask(sluice, request, over));
    try {
      return round.run();
    } finally {
      over.countDown();
      asking.join();
    }
  }

  private static void ask(ServerProcess sluice, Request request, CountDownLatch over) {
    try {
      long pause = 0;
      while (!over.await(pause, TimeUnit.NANOSECONDS)) {
        long begun = System.nanoTime();
        Answer.to(request, sluice);
        pause = Math.max(0, LONG_NANOS - (System.nanoTime() - begun));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
