package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;
import java.util.Locale;

/** How long a lone request takes beyond its way through sockets and its model. */
final class OneConnection implements Workload {
  private static final double MOST_MICROS = 40;

  private static final String TITLE = "V2 binary, 128 floats, one connection";

  private final Request request = Requests.v2Binary(Models.MLP, 1, 128);
  private final Request inline = Requests.v2Binary(Models.MLP_INLINE, 1, 128);

  @Override
  public String name() {
    return "one-connection";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(1);
    double session = lab.bareSession(Models.version(lab.models().small(), Models.MLP), 1).wall();
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        ServerProcess ceiling = lab.ceiling(sluice, request)) {
      List<Measurement> sides =
          lab.byTurns(
              List.of(
                  lab.wrk(sluice, request, load),
                  lab.wrk(sluice, inline, load),
                  lab.wrk(ceiling, request, load)));
      return List.of(
          row(TITLE, sides.get(0), sides.get(2), session),
          row(TITLE + HttpRate.INLINE, sides.get(1), sides.get(2), session));
    }
  }

  private static Row row(String title, Measurement ours, Measurement ceiling, double session) {
    // Below one microsecond the generator's clock says nothing.
    double added = Math.max(1, ours.p50() - ceiling.p50() - session);
    String note =
        String.format(
            Locale.ROOT, "%.0f µs added; ceiling %.0f, model %.1f", added, ceiling.p50(), session);
    return Row.of(title, "40 µs ÷ added median", MOST_MICROS / added, 1, ours, ceiling, note);
  }
}
