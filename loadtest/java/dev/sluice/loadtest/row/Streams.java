package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.loadtest.generator.EventStreams;
import dev.sluice.loadtest.generator.EventStreams.Streamed;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What streams cost: a step function run in a loop by hand, as one stream over HTTP, and as many
 * that advance together.
 */
final class Streams implements Workload {
  private static final double ONE_GOAL = 0.95;
  private static final double TOGETHER_GOAL = 3;

  /** What the first event may take beyond a step. */
  private static final double SMALL_MICROS = 250;

  private final String name;
  private final String model;
  private final String weights;

  /**
   * @param name for {@code ROWS}
   * @param model the step function
   * @param weights how many it has, for readers
   */
  Streams(String name, String model, String weights) {
    this.name = name;
    this.model = model;
    this.weights = weights;
  }

  private Request request(String body) {
    return new Request(
        "/v2/models/" + model + "/generate_stream", Map.of(), body.getBytes(US_ASCII));
  }

  @Override
  public String name() {
    return name;
  }

  /** A worker takes steps while the event loop writes them. */
  @Override
  public int serverCores() {
    return 2;
  }

  @Override
  public List<Row> measure(Lab lab) {
    Request all = request("{}");
    // Begins so often that the first event's way is compiled as well.
    Request two = request("{\"steps\":2}");
    try (ServerProcess sluice = lab.sluice(lab.models().streams())) {
      return rows(
          lab.byTurns(
              List.of(
                  () -> loop(lab, 1),
                  read(lab, sluice, all, 1),
                  read(lab, sluice, all, Models.STREAMS),
                  () -> loop(lab, Models.STREAMS),
                  read(lab, sluice, two, 1))));
    }
  }

  private Measurement loop(Lab lab, int rows) {
    double micros = lab.stepLoop(Models.version(lab.models().streams(), model), rows);
    return Measurement.ofRate(rows * 1e6 / micros);
  }

  /** Reads streams: an answer is a step. */
  private static Round<Measurement> read(
      Lab lab, ServerProcess sluice, Request request, int readers) {
    Duration length = lab.settings().round();
    return new Watched(
        sluice,
        () -> {
          Streamed read = EventStreams.read(sluice.port(), request, readers, length);
          long steps = Math.round(read.rate() * length.toMillis() / 1000);
          return new Measurement(read.rate(), read.firstMicros(), Double.NaN, steps);
        });
  }

  private List<Row> rows(List<Measurement> sides) {
    Measurement loop = sides.get(0);
    Measurement one = sides.get(1);
    Measurement together = sides.get(2);
    double step = 1e6 / loop.rate();
    double first = sides.get(4).p50();
    return List.of(
        row("one stream", "steps ÷ those of a loop by hand", ONE_GOAL, one, loop, ""),
        row(
            Models.STREAMS + " streams",
            "steps ÷ those of one stream",
            TOGETHER_GOAL,
            together,
            one,
            String.format(
                Locale.ROOT,
                "a loop by hand over %d rows: %.2f",
                Models.STREAMS,
                sides.get(3).rate() / loop.rate())),
        Row.ofFigure(
            "first event of a stream" + steps(),
            "step + 250 µs ÷ time to it",
            (step + SMALL_MICROS) / first,
            1,
            String.format(Locale.ROOT, "%.0f µs, of which a step is %.0f", first, step)));
  }

  private String steps() {
    return ", steps of " + weights + " of weights";
  }

  private Row row(
      String workload,
      String measure,
      double goal,
      Measurement ours,
      Measurement ceiling,
      String note) {
    double ratio = ours.rate() / ceiling.rate();
    return Row.of(
        workload + steps(), measure, ratio, goal, ours.rateAndCost(), ceiling.rateAndCost(), note);
  }
}
