package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.H2load;
import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.generator.Wrk;
import dev.sluice.loadtest.peer.BareServer;
import dev.sluice.loadtest.peer.BareSession;
import dev.sluice.loadtest.peer.DecoderLoop;
import dev.sluice.loadtest.peer.StepLoop;
import dev.sluice.loadtest.process.Children;
import dev.sluice.loadtest.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What workloads measure with.
 *
 * @param settings how long everything takes
 * @param children runs processes
 * @param folder for files that do not matter afterwards
 * @param models what is served
 */
public record Lab(Settings settings, Children children, Path folder, Models models) {
  /** Steps are few in a second: their loop takes longer to be compiled. */
  private static final int WARM_UP_SECONDS = 4;

  /** The mean of one run, in microseconds: by the clock, and on the processor. */
  record RunTime(double wall, double cpu) {}

  Wrk wrk() {
    return new Wrk(children, folder);
  }

  H2load h2load() {
    return new H2load(children, folder);
  }

  /** Rounds of wrk, with what they cost the server. */
  Round<Measurement> wrk(ServerProcess server, Request request, Load load) {
    return new Watched(server, () -> wrk().run(server.url(), request, load));
  }

  /** Rounds of h2load over HTTP/1.1, with what they cost the server. */
  Round<Measurement> http1(ServerProcess server, Request request, Load load) {
    return new Watched(server, () -> h2load().http1(server.url(), request, load));
  }

  /** Rounds of h2load over HTTP/2, with what they cost the server. */
  Round<Measurement> http2(ServerProcess server, Request request, Load load, int answerSize) {
    return new Watched(server, () -> h2load().http2(server.url(), request, load, answerSize));
  }

  Load load(int connections) {
    return Load.of(connections, settings.round());
  }

  /** Starts the server that is measured. */
  ServerProcess sluice(Path modelFolder) {
    return ServerProcess.sluice(children, modelFolder);
  }

  /** Starts the ceiling of a server: it answers the request as that server does, always. */
  ServerProcess ceiling(ServerProcess server, Request request) {
    Answer answer = Answer.to(request, server);
    try {
      Path body = Files.write(Files.createTempFile(folder, "answer", ""), answer.body());
      return ServerProcess.peer(
          children, BareServer.class, answer.contentType(), body.toAbsolutePath().toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a model in a loop, alone, in a process of its own. */
  RunTime bareSession(Path version, int rows) {
    String[] times = alone(BareSession.class, version, rows, 1).split(" ", -1);
    return new RunTime(Double.parseDouble(times[0]), Double.parseDouble(times[1]));
  }

  /** Runs a model's step in a loop, alone, in a process of its own: microseconds of a step. */
  double stepLoop(Path version, int rows) {
    return Double.parseDouble(alone(StepLoop.class, version, rows, WARM_UP_SECONDS));
  }

  /**
   * Runs a decoder in a loop, alone, in a process of its own: tokens of all rows in a second.
   *
   * @param prompt tokens of each row's prompt
   * @param tokens that are generated behind it
   */
  double decoderLoop(Path version, int rows, int prompt, int tokens) {
    String rate =
        alone(
            DecoderLoop.class,
            version,
            rows,
            WARM_UP_SECONDS,
            Integer.toString(prompt),
            Integer.toString(tokens));
    return Double.parseDouble(rate);
  }

  private String alone(Class<?> main, Path version, int rows, int warmUp, String... more) {
    long seconds = settings.round().toSeconds();
    List<String> command = ServerProcess.java();
    command.add(main.getName());
    command.add(version.toString());
    command.addAll(List.of(Integer.toString(rows), Integer.toString(warmUp)));
    command.add(Long.toString(seconds));
    command.addAll(List.of(more));
    return children.outputOnServerCores(command, Duration.ofSeconds(seconds + 30)).strip();
  }

  /**
   * Runs the rounds of all sides by turns: A B A B. What disturbs the machine meanwhile disturbs
   * all of them. A turn during which a server still compiled does not count, but for the last ones
   * allowed.
   *
   * @return the medians of each side, in the sides' order
   */
  List<Measurement> byTurns(List<Round<Measurement>> sides) {
    sides.forEach(this::warmUp);
    List<List<Measurement>> turns = new ArrayList<>();
    for (int spare = settings.rounds(); turns.size() < settings.rounds(); ) {
      List<Measurement> turn = sides.stream().map(Round::run).toList();
      if (spare == 0 || turn.stream().allMatch(WarmUp::isCompiled)) {
        turns.add(turn);
        Progress.turn(turns.size(), turn);
      } else {
        spare--;
        Progress.repeated(turn);
      }
    }
    return IntStream.range(0, sides.size())
        .mapToObj(side -> Measurement.median(turns.stream().map(turn -> turn.get(side)).toList()))
        .toList();
  }

  /** Runs a side until it is not getting faster any more and its server's compilers rest. */
  void warmUp(Round<Measurement> side) {
    var warmUp = new WarmUp();
    while (!warmUp.isOver()) {
      warmUp.add(side.run());
    }
    Progress.warm(warmUp);
  }
}
