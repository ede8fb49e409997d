package dev.sluice.loadtest.row;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.loadtest.generator.EventStreams;
import dev.sluice.loadtest.generator.EventStreams.Streamed;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What streams of a decoder cost, and that they have different lengths. */
final class StreamsOfLengths implements Workload {
  private static final double LOOP_GOAL = 0.95;
  private static final double EQUAL_GOAL = 0.85;
  private static final double ONE_GOAL = 3;

  /** Tokens of the shortest prompt, and how many more each next one has. */
  private static final int SHORTEST = 33;

  private static final int GROWTH = 2;
  private static final int EQUAL = 48;

  /** Tokens of the prompts of streams of different lengths. */
  static final List<Integer> MIXED =
      IntStream.range(0, Models.STREAMS).mapToObj(i -> SHORTEST + GROWTH * i).toList();

  private final String name;
  private final Function<Lab, Path> models;
  private final String model;
  private final String called;

  /**
   * @param name for {@code ROWS}
   * @param models gives the folder that the decoder is in
   * @param called what the decoder is called, for readers
   */
  StreamsOfLengths(String name, Function<Lab, Path> models, String model, String called) {
    this.name = name;
    this.models = models;
    this.model = model;
    this.called = called;
  }

  /** Streams of a decoder that each run writes. */
  static StreamsOfLengths written(String name, String model, String called) {
    return new StreamsOfLengths(name, lab -> lab.models().decoders(), model, called);
  }

  /** Returns a request for a stream behind a prompt of so many tokens. */
  static Request request(String model, int prompt) {
    String ids =
        IntStream.range(0, prompt)
            .mapToObj(i -> Integer.toString((prompt * 7 + i * 13) % 512))
            .collect(Collectors.joining(","));
    return new Request(
        "/v2/models/" + model + "/generate_stream",
        Map.of(),
        ("{\"input_ids\":[" + ids + "]}").getBytes(US_ASCII));
  }

  /** Returns rounds in which readers ask for one stream after the other, behind these prompts. */
  static Round<Measurement> read(
      Lab lab, ServerProcess sluice, String model, List<Integer> prompts) {
    List<Request> requests = prompts.stream().map(prompt -> request(model, prompt)).toList();
    Duration length = lab.settings().round();
    return new Watched(
        sluice,
        () -> {
          Streamed read = EventStreams.read(sluice.port(), requests, length);
          long steps = Math.round(read.rate() * length.toMillis() / 1000);
          return new Measurement(read.rate(), read.firstMicros(), Double.NaN, steps);
        });
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
    List<Integer> equal = IntStream.range(0, Models.STREAMS).mapToObj(_ -> EQUAL).toList();
    Path decoders = models.apply(lab);
    Path version = Models.version(decoders, model);
    try (ServerProcess sluice = lab.sluice(decoders)) {
      return rows(
          lab.byTurns(
              List.of(
                  read(lab, sluice, model, List.of(EQUAL)),
                  read(lab, sluice, model, equal),
                  read(lab, sluice, model, MIXED),
                  () -> loop(lab, version, 1, EQUAL),
                  () -> loop(lab, version, Models.STREAMS, MIXED.getLast()))));
    }
  }

  /** By hand, rows of different lengths are padded to the longest. */
  private static Measurement loop(Lab lab, Path version, int rows, int prompt) {
    return Measurement.ofRate(lab.decoderLoop(version, rows, prompt, DecoderModel.STEPS));
  }

  private List<Row> rows(List<Measurement> sides) {
    Measurement one = sides.get(0);
    Measurement mixed = sides.get(2);
    Measurement loop = sides.get(3);
    String padded =
        String.format(
            Locale.ROOT, "the loop by hand, padded: %.2f", sides.get(4).rate() / loop.rate());
    return List.of(
        row("one stream", "tokens ÷ those of a loop by hand", LOOP_GOAL, one, loop, ""),
        row(
            streams(),
            "tokens ÷ those of 16 streams of one length",
            EQUAL_GOAL,
            mixed,
            sides.get(1),
            ""),
        row(streams(), "tokens ÷ those of one stream", ONE_GOAL, mixed, one, padded));
  }

  private static String streams() {
    return "%d streams, prompts of %d to %d tokens"
        .formatted(Models.STREAMS, MIXED.getFirst(), MIXED.getLast());
  }

  private Row row(
      String workload,
      String measure,
      double goal,
      Measurement ours,
      Measurement ceiling,
      String note) {
    return Row.of(
        workload + ", " + called,
        measure,
        ours.rate() / ceiling.rate(),
        goal,
        ours.rateAndCost(),
        ceiling.rateAndCost(),
        note);
  }
}
