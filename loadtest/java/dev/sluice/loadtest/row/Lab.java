package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.H2load;
import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.generator.Wrk;
import dev.sluice.loadtest.peer.BareServer;
import dev.sluice.loadtest.peer.BareSession;
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
import java.util.function.ToDoubleFunction;

/**
 * What workloads measure with.
 *
 * @param settings how long everything takes
 * @param children runs processes
 * @param folder for files that do not matter afterwards
 * @param models what is served
 */
public record Lab(Settings settings, Children children, Path folder, Models models) {
  /** Rounds of each side before any counts, at most: the JVM compiles meanwhile. */
  private static final int MOST_WARM_UP_ROUNDS = 8;

  /** A side is warm once so many rounds after one another were not faster than those before, */
  private static final int STEADY_ROUNDS = 2;

  /** by this much at least. */
  private static final double FASTER = 1.03;

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

  private String alone(Class<?> main, Path version, int rows, int warmUp) {
    long seconds = settings.round().toSeconds();
    List<String> command = ServerProcess.java();
    command.add(main.getName());
    command.add(version.toString());
    command.addAll(List.of(Integer.toString(rows), Integer.toString(warmUp)));
    command.add(Long.toString(seconds));
    return children.output(command, Duration.ofSeconds(seconds + 30)).strip();
  }

  /**
   * Runs the rounds of all sides by turns: A B A B. What disturbs the machine meanwhile disturbs
   * all of them.
   *
   * @return the medians of each side, in the sides' order
   */
  List<Measurement> byTurns(List<Round<Measurement>> sides) {
    return roundsByTurns(sides, Measurement::rate).stream().map(Measurement::median).toList();
  }

  /**
   * As {@link #byTurns}, with what every counted round gave.
   *
   * @param rate how fast a round was
   */
  <T> List<List<T>> roundsByTurns(List<Round<T>> sides, ToDoubleFunction<T> rate) {
    List<List<T>> rounds = new ArrayList<>();
    for (Round<T> side : sides) {
      warmUp(side, rate);
      rounds.add(new ArrayList<>());
    }
    for (int round = 0; round < settings.rounds(); round++) {
      for (int side = 0; side < sides.size(); side++) {
        rounds.get(side).add(sides.get(side).run());
      }
    }
    return rounds;
  }

  /** Runs a side until it is not getting faster any more. */
  void warmUp(Round<Measurement> side) {
    warmUp(side, Measurement::rate);
  }

  private static <T> void warmUp(Round<T> side, ToDoubleFunction<T> rate) {
    double best = 0;
    int steady = 0;
    for (int i = 0; i < MOST_WARM_UP_ROUNDS && steady < STEADY_ROUNDS; i++) {
      double reached = rate.applyAsDouble(side.run());
      steady = reached > best * FASTER ? 0 : steady + 1;
      best = Math.max(best, reached);
    }
  }
}
