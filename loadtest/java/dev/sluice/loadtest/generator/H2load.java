package dev.sluice.loadtest.generator;

import dev.sluice.loadtest.process.Children;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rounds of {@code h2load}: HTTP/2 for gRPC, and HTTP/1.1 at a pace. */
public final class H2load {
  /** New connections come in so many steps a second. */
  private static final int STEPS = 100;

  private final Children children;
  private final Path folder;

  /**
   * A round at a pace.
   *
   * @param log every request that was answered, whatever the answer
   * @param errored requests that never got a whole answer, such as those of a reset connection
   */
  public record Paced(RequestLog log, long errored) {}

  /**
   * @param children what runs the program, and ends it with everything else
   * @param folder where bodies and logs are written
   */
  public H2load(Children children, Path folder) {
    this.children = children;
    this.folder = folder;
  }

  /**
   * Asks over HTTP/2 as fast as answers come.
   *
   * @param answerSize bytes of DATA in a good answer: what tells it from a failure, since both have
   *     status 200 and differ in a trailer only
   * @throws GeneratorException if not every answer was good
   */
  public Measurement http2(String server, Request request, Load load, int answerSize) {
    List<String> options = new ArrayList<>();
    options.add("--duration=" + load.duration().toMillis() + "ms");
    options.add("--clients=" + load.connections());
    options.add("--max-concurrent-streams=" + load.streams());
    options.add("--threads=" + load.threads());
    H2loadSummary summary = run(options, server, request, load.duration());
    summary.requireGood(answerSize);
    return RequestLog.read(log()).good().withRate(summary.rate());
  }

  /**
   * Asks over HTTP/1.1 as fast as answers come.
   *
   * @throws GeneratorException if not every request was answered
   */
  public Measurement http1(String server, Request request, Load load) {
    List<String> options = new ArrayList<>();
    options.add("--h1");
    options.add("--duration=" + load.duration().toMillis() + "ms");
    options.add("--clients=" + load.connections());
    options.add("--threads=" + load.threads());
    H2loadSummary summary = run(options, server, request, load.duration());
    summary.requireGood(0);
    return RequestLog.read(log()).good().withRate(summary.rate());
  }

  /**
   * Asks over HTTP/1.1 at a rate that answers cannot slow down but by filling all connections.
   * Connections come one after the other during the first second.
   *
   * @param rate of all connections together, per second
   */
  public Paced http1At(double rate, String server, Request request, Load load) {
    Duration all = load.duration().plusSeconds(1);
    List<String> options = new ArrayList<>();
    options.add("--h1");
    options.add("--clients=" + load.connections());
    options.add("--threads=" + load.threads());
    options.add("--requests=" + Math.max(load.connections(), Math.round(rate * all.toSeconds())));
    options.add("--rps=" + String.format(Locale.ROOT, "%.3f", rate / load.connections()));
    options.add("--rate=" + Math.max(load.threads(), load.connections() / STEPS));
    options.add("--rate-period=" + 1000 / STEPS + "ms");
    H2loadSummary summary = run(options, server, request, all.multipliedBy(4));
    return new Paced(RequestLog.read(log()), summary.errored());
  }

  private H2loadSummary run(List<String> options, String server, Request request, Duration about) {
    List<String> command = new ArrayList<>(List.of(Generators.H2LOAD.program()));
    command.addAll(options);
    command.add("--data=" + body(request));
    command.add("--log-file=" + log());
    request.headers().forEach((name, value) -> command.add("--header=" + name + ": " + value));
    command.add(server + request.path());
    return H2loadSummary.parse(children.output(command, about.plus(Duration.ofSeconds(30))));
  }

  private Path log() {
    return folder.resolve("h2load.log");
  }

  private Path body(Request request) {
    try {
      Files.deleteIfExists(log());
      return Files.write(folder.resolve("h2load-body"), request.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
