package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.H2load.Paced;
import dev.sluice.loadtest.generator.Load;
import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.generator.RequestLog;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Twice as many requests as can be answered: whether the server goes on answering what it can. The
 * model is one that takes its time: on the generator's own cores, twice of what a tiny one can take
 * does not come.
 */
final class Overload implements Workload {
  private static final String TITLE =
      "2,000 connections, twice the capacity of MLP 128-1024-1024-10";
  private static final int CONNECTIONS = 2_000;
  private static final int BUSY = 256;

  /** Turns that do not count: what refuses is compiled meanwhile. */
  private static final int WARM_UP_TURNS = 3;

  private static final int OK = 200;
  private static final int TOO_MANY = 429;

  /** Of a paced round: connections come at its start, and go at its end. */
  private static final double MIDDLE = 0.6;

  private final Request request = Requests.v2Binary(Models.LARGE, 1, 128);

  /** One turn: closed loop, half the load, twice the load. */
  private record Turn(Measurement peak, Measurement half, Paced twice) {
    Measurement good() {
      return twice.log().middle(MIDDLE).good();
    }
  }

  @Override
  public String name() {
    return "overload";
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(lab.models().large())) {
      Answer answer = Answer.to(request, sluice);
      Round<Measurement> closed = lab.http1(sluice, request, lab.load(BUSY));
      lab.warmUp(closed);
      // All peaks come first: who has been overloaded is careful for some seconds.
      List<Measurement> peaks =
          IntStream.range(0, WARM_UP_TURNS + lab.settings().rounds())
              .mapToObj(_ -> closed.run())
              .toList();
      List<Turn> turns =
          peaks.stream().map(peak -> turn(lab, sluice, peak)).skip(WARM_UP_TURNS).toList();
      answer.requireSame(request, sluice);
      return rows(turns);
    }
  }

  private Turn turn(Lab lab, ServerProcess sluice, Measurement peak) {
    Load load = lab.load(CONNECTIONS);
    Paced half = lab.h2load().http1At(peak.rate() / 2, sluice.url(), request, load);
    Paced twice = lab.h2load().http1At(peak.rate() * 2, sluice.url(), request, load);
    return new Turn(peak, half.log().middle(MIDDLE).good(), twice);
  }

  private static List<Row> rows(List<Turn> turns) {
    Measurement peak = Measurement.median(turns.stream().map(Turn::peak).toList());
    Measurement half = Measurement.median(turns.stream().map(Turn::half).toList());
    Measurement good = Measurement.median(turns.stream().map(Turn::good).toList());
    List<RequestLog> logs = turns.stream().map(turn -> turn.twice().log()).toList();
    double offered = Measurement.median(logs, log -> log.middle(MIDDLE).offered());
    long all = logs.stream().mapToLong(RequestLog::size).sum();
    long known = logs.stream().mapToLong(log -> log.count(OK) + log.count(TOO_MANY)).sum();
    long errored = turns.stream().mapToLong(turn -> turn.twice().errored()).sum();
    String came =
        String.format(
            Locale.ROOT, "%,.0f requests /s came, twice would be %,.0f", offered, 2 * peak.rate());
    String calm = String.format(Locale.ROOT, "p99 at half load %.1f ms", half.p99() / 1000);
    String lost =
        String.format(
            Locale.ROOT,
            "%d of %d neither 200 nor 429; %d without an answer",
            all - known,
            all,
            errored);
    List<Row> rows = new ArrayList<>();
    rows.add(Row.of(TITLE, "good rate ÷ peak", good.rate() / peak.rate(), 0.9, good, peak, came));
    rows.add(
        Row.of(
            TITLE, "p99 at half load ÷ p99", half.p99() / good.p99(), 1 / 3.0, good, peak, calm));
    double answered = known / (double) (all + errored);
    rows.add(Row.of(TITLE, "200 or 429, of all", answered, 1, good, peak, lost));
    return rows;
  }
}
