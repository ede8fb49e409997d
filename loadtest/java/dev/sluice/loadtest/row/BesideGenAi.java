package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.peer.GenAiLoop;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Streams of the sample chat over HTTP, beside the same model in the generation loop that ONNX
 * Runtime has as a package of its own: without a server, all rows beginning and ending together.
 */
final class BesideGenAi implements Workload {
  @Override
  public String name() {
    return "peer-genai";
  }

  /** A worker takes steps while the event loop writes them. */
  @Override
  public int serverCores() {
    return 2;
  }

  @Override
  public List<Row> measure(Lab lab) {
    Path models = lab.models().decoders();
    List<Integer> one = List.of(StreamsOfLengths.MIXED.getLast());
    try (ServerProcess sluice = lab.sluice(models)) {
      Path file = Models.version(models, Models.CHAT).resolve("model.onnx");
      var loop = new GenAiLoop(lab.children(), lab.folder().resolveSibling("peers"), file);
      List<Measurement> sides =
          lab.byTurns(
              List.of(
                  StreamsOfLengths.read(lab, sluice, Models.CHAT, one),
                  () -> generate(lab, loop, one),
                  StreamsOfLengths.read(lab, sluice, Models.CHAT, StreamsOfLengths.MIXED),
                  () -> generate(lab, loop, StreamsOfLengths.MIXED)));
      return List.of(
          row("one stream", sides.get(0), sides.get(1)),
          row(Models.STREAMS + " streams, prompts of 33 to 63 tokens", sides.get(2), sides.get(3)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Measurement generate(Lab lab, GenAiLoop loop, List<Integer> prompts) {
    return Measurement.ofRate(loop.run(prompts, DecoderModel.STEPS, lab.settings().round()));
  }

  private static Row row(String workload, Measurement ours, Measurement other) {
    return Row.of(
        workload + " of chat, beside " + GenAiLoop.PACKAGE,
        "tokens ÷ the loop's",
        ours.rate() / other.rate(),
        1,
        ours.rateAndCost(),
        other.rateAndCost(),
        "");
  }
}
