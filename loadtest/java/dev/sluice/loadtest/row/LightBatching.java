package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.List;
import java.util.Locale;

/** Whether joining requests costs anything while there is hardly ever one to join with. */
final class LightBatching implements Workload {
  private static final int CONNECTIONS = 256;
  private static final double PART = 0.1;
  private static final double SLOWER = 1.15;

  private final Request joined = Requests.v2Binary(Models.LARGE_BATCHED, 1, 128);
  private final Request single = Requests.v2Binary(Models.LARGE, 1, 128);

  @Override
  public String name() {
    return "light-batching";
  }

  @Override
  public List<Row> measure(Lab lab) {
    Load load = lab.load(CONNECTIONS);
    try (ServerProcess sluice = lab.sluice(lab.models().large())) {
      lab.wrk().run(sluice.url(), joined, load);
      double rate = lab.wrk().run(sluice.url(), joined, load).rate() * PART;
      List<Measurement> sides =
          lab.byTurns(
              List.of(
                  new Watched(sluice, () -> lab.wrk().runAt(rate, sluice.url(), joined, load)),
                  new Watched(sluice, () -> lab.wrk().runAt(rate, sluice.url(), single, load))));
      return List.of(row(sides.getFirst(), sides.getLast()));
    }
  }

  private static Row row(Measurement joined, Measurement single) {
    return Row.of(
        "the same at a tenth of that load, max_queue_delay 0",
        "p50 without batching ÷ p50",
        single.p50() / joined.p50(),
        1 / SLOWER,
        joined,
        single,
        String.format(Locale.ROOT, "p50 without batching %.0f µs", single.p50()));
  }
}
