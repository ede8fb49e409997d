package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;

/** What it costs that a model runs in a process of its own: the same model twice, in one server. */
final class Isolation implements Workload {
  private static final int CONNECTIONS = 64;
  private static final int WIDTH = 128;

  /** Of a run of microseconds most is the way to the other process and back. */
  private static final double SMALL_GOAL = 0.6;

  private static final double LARGE_GOAL = 0.8;

  @Override
  public String name() {
    return "isolation";
  }

  /** The server and the process of the model run at once. */
  @Override
  public int serverCores() {
    return 2;
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(lab.models().isolated())) {
      return List.of(
          row(lab, sluice, "MLP 128-64-10", Models.MLP_JOINED, Models.SMALL_ISOLATED, SMALL_GOAL),
          row(
              lab,
              sluice,
              "MLP 128-1024-1024-10",
              Models.LARGE_BATCHED,
              Models.LARGE_ISOLATED,
              LARGE_GOAL));
    }
  }

  private static Row row(
      Lab lab, ServerProcess sluice, String what, String here, String isolated, double goal) {
    Load load = lab.load(CONNECTIONS);
    Request inside = Requests.v1(here, 1, WIDTH);
    Request outside = Requests.v1(isolated, 1, WIDTH);
    Answer.to(inside, sluice).requireSame(outside, sluice);
    List<Measurement> sides =
        lab.byTurns(List.of(lab.wrk(sluice, outside, load), lab.wrk(sluice, inside, load)));
    return Row.ofRates(
        "isolation: process, " + what + ", V1 JSON, max_batch_size 64, 64 connections",
        goal,
        sides.getFirst(),
        sides.getLast(),
        "ceiling: the same model in the server's process");
  }
}
