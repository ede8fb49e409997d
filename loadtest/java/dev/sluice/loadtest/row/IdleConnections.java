package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.JvmFigures;
import dev.sluice.loadtest.process.OpenConnections;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What many silent connections cost: memory, and the speed of the busy ones. */
final class IdleConnections implements Workload {
  private static final String TITLE = "10,000 idle connections";
  private static final int IDLE = 10_000;
  private static final int BUSY = 64;
  private static final double MOST_BYTES = 10 * 1024;
  private static final double GOAL = 0.9;

  private final Request request = Requests.v2Binary(Models.MLP, 1, 128);

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(BUSY);
    List<Measurement> alone = new ArrayList<>();
    List<Measurement> among = new ArrayList<>();
    List<Double> bytes = new ArrayList<>();
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        JvmFigures jvm = JvmFigures.of(sluice.figures())) {
      // What the first connections ever take for good is not theirs.
      OpenConnections.to(sluice.port(), IDLE).close();
      Round<Measurement> busy = lab.wrk(sluice, request, load);
      lab.warmUp(busy);
      for (int round = 0; round < lab.settings().rounds(); round++) {
        alone.add(busy.run());
        double before = memory(sluice, jvm);
        try (OpenConnections idle = OpenConnections.to(sluice.port(), IDLE)) {
          bytes.add((memory(sluice, jvm) - before) / IDLE);
          among.add(busy.run());
          idle.requireOpen();
        }
      }
    }
    double each = Measurement.median(bytes, size -> size);
    return rows(Measurement.median(alone), Measurement.median(among), each);
  }

  /** The heap is in memory from the start: what the process grows by is outside of it. */
  private static double memory(ServerProcess server, JvmFigures jvm) {
    long heap = jvm.liveHeapBytes();
    return (double) heap + server.figures().residentBytes();
  }

  private static List<Row> rows(Measurement alone, Measurement among, double bytes) {
    String note = String.format(Locale.ROOT, "%.1f KB each", bytes / 1024);
    double ratio = MOST_BYTES / Math.max(1, bytes);
    return List.of(
        Row.ofFigure(TITLE, "10 KB ÷ memory of each", ratio, 1, note),
        Row.of(
            TITLE,
            "rate of 64 busy ones ÷ without the idle",
            among.rate() / alone.rate(),
            GOAL,
            among,
            alone,
            "V2 binary, 128 floats"));
  }
}
