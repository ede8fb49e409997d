package dev.sluice.loadtest.row;

import dev.sluice.loadtest.generator.Measurement;
import dev.sluice.loadtest.generator.Request;
import dev.sluice.loadtest.process.JvmFigures;
import dev.sluice.loadtest.process.ServerProcess;
import dev.sluice.loadtest.report.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a request leaves behind: garbage on the Java heap, and memory that is never freed. */
final class Footprint implements Workload {
  private static final String TITLE = "V2 binary, 128 floats, 64 connections";
  private static final int CONNECTIONS = 64;
  private static final double MOST_BYTES = 2 * 1024;

  /** Of the memory outside the heap; pages, and code that is compiled late, come and go. */
  private static final double STEADY = 0.98;

  private final Request request = Requests.v2Binary(Models.MLP, 1, 128);

  /** Memory at one moment, in bytes: all of it outside the heap, and direct buffers. */
  private record Memory(double outside, long direct) {}

  @Override
  public String name() {
    return "footprint";
  }

  @Override
  public List<Row> measure(Lab lab) {
    try (ServerProcess sluice = lab.sluice(lab.models().small());
        JvmFigures jvm = JvmFigures.of(sluice.figures())) {
      ask(lab, sluice, lab.settings().settling());
      Memory before = memory(sluice, jvm);
      long allocated = jvm.allocatedBytes();
      Measurement asked = ask(lab, sluice, lab.settings().watching());
      double each = (jvm.allocatedBytes() - allocated) / (double) asked.answers();
      return rows(asked, each, before, memory(sluice, jvm));
    }
  }

  /** Whole rounds until there were at least so many answers. */
  private Measurement ask(Lab lab, ServerProcess sluice, long count) {
    Round<Measurement> round = lab.wrk(sluice, request, lab.load(CONNECTIONS));
    List<Measurement> rounds = new ArrayList<>();
    long answers = 0;
    while (answers < count) {
      rounds.add(round.run());
      answers += rounds.getLast().answers();
    }
    return Measurement.median(rounds).withAnswers(answers);
  }

  private static Memory memory(ServerProcess sluice, JvmFigures jvm) {
    double heap = ServerProcess.HEAP_BYTES;
    return new Memory(sluice.figures().residentBytes() - heap, jvm.directBytes());
  }

  private static List<Row> rows(Measurement asked, double each, Memory before, Memory after) {
    String grown =
        String.format(
            Locale.ROOT,
            "%+.1f MB resident, %+.1f MB direct in %,d requests",
            (after.outside - before.outside) / 1e6,
            (after.direct - before.direct) / 1e6,
            asked.answers());
    String garbage = String.format(Locale.ROOT, "%.0f bytes", each);
    return List.of(
        Row.of(
            TITLE, "2 KB ÷ heap allocated", MOST_BYTES / each, 1, asked, Measurement.NONE, garbage),
        Row.of(
            TITLE,
            "memory outside the heap, before ÷ after",
            before.outside / after.outside,
            STEADY,
            asked,
            Measurement.NONE,
            grown));
  }
}
