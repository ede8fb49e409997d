package dev.sluice.telemetry;

import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.inference.RequestTrace.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When one call passed from stage to stage. The stages follow one another without a gap, so that
 * they add up to the whole. Nanoseconds by the clock of calls.
 *
 * @param stages in their order, each ends where the next one begins
 */
record StageTimes(List<Stage> stages) {
  private static final long NANOS_PER_MICRO = 1_000;
  private static final double MICROS_PER_MILLI = 1_000;

  /**
   * One stage.
   *
   * @param name a token of HTTP
   */
  record Stage(String name, long nanos) {}

  /** From one time to another. */
  private record Interval(long from, long to) {}

  StageTimes {
    stages = List.copyOf(stages);
  }

  /** Returns the stages of a call that asks no model. */
  static StageTimes withoutModel(long begun, long received, long now) {
    return new StageTimes(
        List.of(new Stage("receive", received - begun), new Stage("handle", now - received)));
  }

  /**
   * Returns the stages of a call that asked a model. {@code run} is the time in which at least one
   * run was under way for it: members of an ensemble may run side by side.
   *
   * @param events of its trace
   */
  static StageTimes of(
      long begun, long received, long asked, long answered, long now, List<Event> events) {
    List<Interval> runs = runs(events, asked, answered);
    long run = runs.stream().mapToLong(each -> each.to - each.from).sum();
    long lastEnd = runs.isEmpty() ? answered : runs.getLast().to;
    return new StageTimes(
        List.of(
            new Stage("receive", received - begun),
            new Stage("decode", asked - received),
            new Stage("queue", lastEnd - asked - run),
            new Stage("run", run),
            new Stage("complete", answered - lastEnd),
            new Stage("encode", now - answered)));
  }

  /** Returns the times of runs within others, in their order and without overlaps. */
  private static List<Interval> runs(List<Event> events, long asked, long answered) {
    Map<Long, Long> begun = new HashMap<>();
    List<Interval> runs = new ArrayList<>();
    for (Event event : events) {
      if (event instanceof Event.Reached reached) {
        if (reached.point() == Point.COMPUTE_START) {
          begun.put(reached.id(), reached.nanos());
        } else if (reached.point() == Point.COMPUTE_END && begun.containsKey(reached.id())) {
          runs.add(new Interval(begun.get(reached.id()), reached.nanos()));
        }
      }
    }
    runs.sort(Comparator.comparingLong(Interval::from));
    return disjoint(runs, asked, answered);
  }

  private static List<Interval> disjoint(List<Interval> sorted, long asked, long answered) {
    List<Interval> disjoint = new ArrayList<>();
    long covered = asked;
    for (Interval run : sorted) {
      long to = Math.min(run.to, answered);
      if (to > covered) {
        disjoint.add(new Interval(Math.max(run.from, covered), to));
        covered = to;
      }
    }
    return disjoint;
  }

  /**
   * Returns the stages in the form of the header {@code Server-Timing} (W3C Server Timing, section
   * 3.1): milliseconds, and their sum last. Each is cut where the sum of those so far is, so that
   * the numbers as they are written add up.
   */
  String serverTiming() {
    var text = new StringBuilder(160);
    long passed = 0;
    for (Stage stage : stages) {
      long before = passed / NANOS_PER_MICRO;
      passed += stage.nanos;
      append(text, stage.name, passed / NANOS_PER_MICRO - before);
    }
    append(text, "total", passed / NANOS_PER_MICRO);
    return text.toString();
  }

  private static void append(StringBuilder text, String name, long micros) {
    if (!text.isEmpty()) {
      text.append(", ");
    }
    text.append(name).append(";dur=").append(micros / MICROS_PER_MILLI);
  }
}
