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
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What it costs that the streams of a decoder have different lengths. */
final class StreamsOfLengths implements Workload {
  private static final double EQUAL_GOAL = 0.85;
  private static final double ONE_GOAL = 3;

  /** Tokens of the shortest prompt, and how many more each next one has. */
  private static final int SHORTEST = 33;

  private static final int GROWTH = 2;
  private static final int EQUAL = 48;

  private static Request request(int prompt) {
    String ids =
        IntStream.range(0, prompt)
            .mapToObj(i -> Integer.toString((prompt * 7 + i * 13) % 512))
            .collect(Collectors.joining(","));
    return new Request(
        "/v2/models/" + Models.DECODER + "/generate_stream",
        Map.of(),
        ("{\"input_ids\":[" + ids + "]}").getBytes(US_ASCII));
  }

  @Override
  public String name() {
    return "streams-lengths";
  }

  /** A worker takes steps while the event loop writes them. */
  @Override
  public int serverCores() {
    return 2;
  }

  @Override
  public List<Row> measure(Lab lab) {
    List<Request> equal = IntStream.range(0, Models.STREAMS).mapToObj(_ -> request(EQUAL)).toList();
    List<Request> mixed =
        IntStream.range(0, Models.STREAMS).mapToObj(i -> request(SHORTEST + GROWTH * i)).toList();
    try (ServerProcess sluice = lab.sluice(lab.models().decoders())) {
      return rows(
          lab.byTurns(
              List.of(
                  read(lab, sluice, List.of(request(EQUAL))),
                  read(lab, sluice, equal),
                  read(lab, sluice, mixed))));
    }
  }

  private static Round<Measurement> read(Lab lab, ServerProcess sluice, List<Request> requests) {
    Duration length = lab.settings().round();
    return new Watched(
        sluice,
        () -> {
          Streamed read = EventStreams.read(sluice.port(), requests, length);
          long steps = Math.round(read.rate() * length.toMillis() / 1000);
          return new Measurement(read.rate(), read.firstMicros(), Double.NaN, steps);
        });
  }

  private static List<Row> rows(List<Measurement> sides) {
    Measurement mixed = sides.get(2);
    return List.of(
        row("tokens ÷ those of 16 streams of one length", EQUAL_GOAL, mixed, sides.get(1)),
        row("tokens ÷ those of one stream", ONE_GOAL, mixed, sides.get(0)));
  }

  private static Row row(String measure, double goal, Measurement ours, Measurement ceiling) {
    return Row.of(
        Models.STREAMS + " streams of a decoder, prompts of 33 to 63 tokens",
        measure,
        ours.rate() / ceiling.rate(),
        goal,
        ours.rateAndCost(),
        ceiling.rateAndCost(),
        "");
  }
}
