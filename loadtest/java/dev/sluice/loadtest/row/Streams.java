package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.loadtest.generator.EventStreams;
import dev.sluice.loadtest.generator.EventStreams.Streamed;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
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

  @Override
  public List<Row> measure(Lab lab) {
    Request all = request("{}");
    // Begins so often that the first event's way is compiled as well.
    Request two = request("{\"steps\":2}");
    try (ServerProcess sluice = lab.sluice(lab.models().streams())) {
      List<List<Streamed>> rounds =
          lab.roundsByTurns(
              List.of(
                  () -> loop(lab, 1),
                  () -> read(lab, sluice, all, 1),
                  () -> read(lab, sluice, all, Models.STREAMS),
                  () -> loop(lab, Models.STREAMS),
                  () -> read(lab, sluice, two, 1)),
              Streamed::rate);
      return rows(
          rate(rounds.get(0)),
          rate(rounds.get(1)),
          rate(rounds.get(2)),
          rate(rounds.get(3)),
          Measurement.median(rounds.get(4), Streamed::firstMicros));
    }
  }

  private Streamed loop(Lab lab, int rows) {
    double micros = lab.stepLoop(Models.version(lab.models().streams(), model), rows);
    return new Streamed(rows * 1e6 / micros, 0);
  }

  private static Streamed read(Lab lab, ServerProcess sluice, Request request, int readers) {
    return EventStreams.read(sluice.port(), request, readers, lab.settings().round());
  }

  private static double rate(List<Streamed> rounds) {
    return Measurement.median(rounds, Streamed::rate);
  }

  private List<Row> rows(
      double loop, double one, double together, double loopTogether, double first) {
    double step = 1e6 / loop;
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
                loopTogether / loop)),
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
      String workload, String measure, double goal, double rate, double ceiling, String note) {
    return new Row(
        workload + steps(),
        measure,
        rate / ceiling,
        goal,
        rate,
        Double.NaN,
        Double.NaN,
        ceiling,
        note);
  }
}
