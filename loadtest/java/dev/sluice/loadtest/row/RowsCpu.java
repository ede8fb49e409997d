package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;
import java.util.Locale;

/**
 * What a request of many numbers costs the server, compared with the sum of its parts: the ceiling,
 * decoding and encoding as the micro-benchmarks measure them, and the model alone.
 */
final class RowsCpu implements Workload {
  private static final int CONNECTIONS = 16;
  private static final int ROWS = 64;
  private static final double MOST = 1.3;

  private final Request request = Requests.v2(Models.MLP_OF_32, ROWS, 32);

  @Override
  public String name() {
    return "v2-json-rows";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(CONNECTIONS);
    double codec = MicroBenchmarks.sumMicros("V2JsonBenchmark.(decode|encode)Rows");
    double session =
        lab.bareSession(Models.version(lab.models().small(), Models.MLP_OF_32), ROWS).cpu();
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        ServerProcess ceiling = lab.ceiling(sluice, request)) {
      List<Measurement> sides =
          lab.byTurns(List.of(lab.wrk(sluice, request, load), lab.wrk(ceiling, request, load)));
      return List.of(row(sides.getFirst(), sides.getLast(), codec, session));
    }
  }

  private static Row row(Measurement ours, Measurement bare, double codec, double session) {
    double cost = ours.cpuMicros();
    double ceiling = bare.cpuMicros();
    String note =
        String.format(
            Locale.ROOT,
            "%.1f µs of CPU; parts: ceiling %.1f, codec %.1f, model %.1f",
            cost,
            ceiling,
            codec,
            session);
    return Row.of(
        "V2 JSON, 64 rows of 32 floats, 16 connections",
        "CPU of the parts ÷ CPU",
        (ceiling + codec + session) / cost,
        1 / MOST,
        ours,
        bare,
        note);
  }
}
