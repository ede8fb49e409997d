package dev.sluice.telemetry;

import dev.sluice.inference.ComposingModelTimes.BusyTime;
import dev.sluice.telemetry.access.CallStages;
import java.util.ArrayList;
import java.util.List;

/**
 * When one call passed from stage to stage. The stages follow one another without a gap, so that
 * they add up to the whole; {@code run} is the time in which at least one run was under way for the
 * call: members of an ensemble may run side by side. Nanoseconds by the clock of calls.
 *
 * @param stages in their order
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

  StageTimes {
    stages = List.copyOf(stages);
  }

  /** Returns the stages of a call whose answer is sent now. What did not happen is left out. */
  static StageTimes of(CallStages call, long now) {
    if (call.hasRequests()) {
      return ofRequests(call, now);
    }
    List<Stage> stages = new ArrayList<>();
    stages.add(new Stage("receive", call.receiving()));
    long received = call.begun() + call.receiving();
    if (!call.hasAsked()) {
      stages.add(new Stage("handle", now - received));
      return new StageTimes(stages);
    }
    stages.add(new Stage("decode", call.decoding()));
    long asked = received + call.decoding();
    long answered = Math.max(asked, call.leftModel(now));
    BusyTime busy = call.runs().busy();
    if (busy.isUsed()) {
      long lastEnd = Math.clamp(busy.lastEnd(now), asked, answered);
      long run = Math.min(busy.nanos(answered), lastEnd - asked);
      stages.add(new Stage("queue", lastEnd - asked - run));
      stages.add(new Stage("run", run));
      stages.add(new Stage("complete", answered - lastEnd));
    } else {
      stages.add(new Stage("queue", answered - asked));
    }
    stages.add(new Stage("encode", now - answered));
    return new StageTimes(stages);
  }

  /** Returns those of a call of many requests, which may be under way side by side. */
  private static StageTimes ofRequests(CallStages call, long now) {
    List<Stage> stages = new ArrayList<>();
    long idle = call.idle(now);
    long active = now - call.begun() - idle;
    BusyTime busy = call.runs().busy();
    long run = Math.min(busy.nanos(now), active);
    stages.add(new Stage("receive", idle));
    stages.add(new Stage("handle", active - run));
    if (busy.isUsed()) {
      stages.add(new Stage("run", run));
    }
    return new StageTimes(stages);
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
