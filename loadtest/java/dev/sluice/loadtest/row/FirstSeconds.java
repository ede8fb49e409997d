package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.Installed;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How fast a server is as soon as it says that it is ready, beside what it is once it is warm: with
 * the AOT cache, and with the heap that its start script gives it. For one thread.
 */
final class FirstSeconds implements Workload {
  private static final int CONNECTIONS = 32;
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Where the distribution is installed; null before the first server. */
  private @Nullable Path home;

  @Override
  public String name() {
    return "first-seconds";
  }

  @Override
  public List<Row> measure(Lab lab) {
    return Stream.concat(
            rows(lab, "V2 JSON, 128 floats, just ready", Requests.v2(Models.MLP, 1, 128)).stream(),
            rows(lab, "V2 binary, 128 floats, just ready", Requests.v2Binary(Models.MLP, 1, 128))
                .stream())
        .toList();
  }

  /** Starts the distribution as those have it who install it. */
  private ServerProcess sluice(Lab lab) {
    if (home == null) {
      home =
          Installed.in(lab.folder().resolve("installed"), Path.of("target/sluice"), lab.children());
    }
    return ServerProcess.asDelivered(lab.children(), home, lab.models().small(), "installed");
  }

  private List<Row> rows(Lab lab, String title, Request request) {
    try (ServerProcess sluice = sluice(lab)) {
      sluice.awaitReady();
      Round<Measurement> second = lab.wrk(sluice, request, Load.of(CONNECTIONS, SECOND));
      List<Measurement> first = seconds(second, 3);
      lab.warmUp(lab.wrk(sluice, request, lab.load(CONNECTIONS)));
      Measurement warm = Measurement.median(seconds(second, lab.settings().rounds()));
      return rows(title, first.getFirst(), first.getLast(), warm);
    }
  }

  private static List<Measurement> seconds(Round<Measurement> second, int count) {
    return Stream.generate(second::run).limit(count).toList();
  }

  private static List<Row> rows(
      String title, Measurement first, Measurement third, Measurement warm) {
    double rate = third.rate() / warm.rate();
    double tail = warm.p99() / first.p99();
    return List.of(
        Row.of(title, "third second ÷ warm", rate, 0.8, third, warm, "32 connections"),
        Row.of(title, "p99 warm ÷ p99 of the first", tail, 0.5, first, warm, "32 connections"));
  }
}
