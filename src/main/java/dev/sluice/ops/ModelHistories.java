package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.telemetry.CallTotals;
import dev.sluice.telemetry.RunTotals;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The histories of the models that requests came for lately: some 6 MiB at most, whatever the
 * number of models. A model's begins with its first request. Where there are as many as there may
 * be, a new one takes the place of the one that had no request for longest, if that is ten minutes
 * or more; so models that take turns do not cost each other their histories.
 *
 * <p>Threads: one adds, any may read.
 */
final class ModelHistories {
  /** Models with a history at one time. */
  static final int MOST = 256;

  private static final long IDLE_NANOS = 600L * 1_000_000_000;

  /** What was counted a second ago. */
  private record Before(
      long millis, long nanos, Map<String, CallTotals> calls, Map<String, RunTotals> runs) {
    Reading reading(String model) {
      return Reading.ofModel(
          millis,
          nanos,
          calls.getOrDefault(model, CallTotals.NONE),
          runs.getOrDefault(model, RunTotals.NONE));
    }
  }

  /** A history, and when the model had a request last. */
  private record Kept(History history, long busyNanos) {}

  /** The one whose model had a request longest ago first. */
  @GuardedBy("this")
  private final LinkedHashMap<String, Kept> kept = new LinkedHashMap<>();

  @GuardedBy("this")
  private Before before;

  /**
   * @param calls of each model until now
   */
  ModelHistories(
      long millis, long nanos, Map<String, CallTotals> calls, Map<String, RunTotals> runs) {
    before = new Before(millis, nanos, calls, runs);
  }

  /** Records that one more second is over. */
  synchronized void add(
      long millis, long nanos, Map<String, CallTotals> calls, Map<String, RunTotals> runs) {
    var now = new Before(millis, nanos, calls, runs);
    calls.keySet().forEach(model -> noteRequests(model, now));
    kept.forEach((model, each) -> each.history.add(now.reading(model)));
    before = now;
  }

  @GuardedBy("this")
  private void noteRequests(String model, Before now) {
    Reading from = before.reading(model);
    Reading to = now.reading(model);
    boolean busy = to.calls().calls() > from.calls().calls() || to.runs().waiting() > 0;
    if (!busy) {
      return;
    }
    Kept known = kept.remove(model);
    if (known != null) {
      kept.put(model, new Kept(known.history, now.nanos));
    } else if (makeRoom(now.nanos)) {
      kept.put(model, new Kept(History.ofModel(from), now.nanos));
    }
  }

  @GuardedBy("this")
  private boolean makeRoom(long now) {
    if (kept.size() < MOST) {
      return true;
    }
    boolean idle = now - kept.firstEntry().getValue().busyNanos >= IDLE_NANOS;
    if (idle) {
      kept.pollFirstEntry();
    }
    return idle;
  }

  /** Returns the history of a model; one without points if it has none. */
  synchronized History of(String model) {
    Kept known = kept.get(model);
    return known == null ? History.ofModel(before.reading(model)) : known.history;
  }
}
