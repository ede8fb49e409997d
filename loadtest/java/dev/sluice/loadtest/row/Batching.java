package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * How much of a large model's own speed is left when single requests are joined. The model alone
 * runs full batches in a loop, beside a generator and a bare server that exchange as many requests
 * as were answered before.
 */
final class Batching implements Workload {
  private static final int CONNECTIONS = 256;
  private static final double GOAL = 0.85;

  private final Request request = Requests.v2Binary(Models.LARGE_BATCHED, 1, 128);

  @Override
  public String name() {
    return "batching";
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(lab.models().large());
        ServerProcess bare = lab.ceiling(sluice, request)) {
      Load load = lab.load(CONNECTIONS);
      List<Measurement> ours = new ArrayList<>();
      List<Double> alone = new ArrayList<>();
      Round<Measurement> round = lab.http1(sluice, request, load);
      lab.warmUp(round);
      for (int i = 0; i < lab.settings().rounds(); i++) {
        ours.add(round.run());
        alone.add(rowsPerSecond(lab, bare, ours.getLast().rate()));
      }
      return List.of(row(Measurement.median(ours), Measurement.median(alone, rate -> rate)));
    }
  }

  /** What the model does alone while the machine is as busy with requests as before. */
  private double rowsPerSecond(Lab lab, ServerProcess bare, double rate) {
    // The model begins later, and ends before the requests do.
    var load = new Load(CONNECTIONS, 1, lab.settings().round().plusSeconds(3));
    var requests =
        CompletableFuture.runAsync(() -> lab.h2load().http1At(rate, bare.url(), request, load));
    double micros =
        lab.bareSession(Models.version(lab.models().large(), Models.LARGE_BATCHED), Models.BATCH)
            .wall();
    requests.join();
    return Models.BATCH * 1e6 / micros;
  }

  private static Row row(Measurement ours, double alone) {
    return Row.of(
        "MLP 128-1024-1024-10, V2 binary, 256 connections, batching",
        "rate ÷ rows of the model alone",
        ours.rate() / alone,
        GOAL,
        ours,
        Measurement.ofRate(alone),
        String.format(Locale.ROOT, "batches of %d", Models.BATCH));
  }
}
