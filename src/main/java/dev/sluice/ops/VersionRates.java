package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.RequestTotals;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * How each loaded version did in the last ten seconds. Remembers some totals for each, and none of
 * a version that is unloaded.
 *
 * <p>Threads: one adds, any may ask.
 */
final class VersionRates {
  private static final int SECONDS = 10;
  private static final double NANOS_OF_SECOND = 1e9;

  /** A point in time and all requests until then. */
  private record Look(long nanos, RequestTotals requests) {}

  /**
   * The requests to a version in the last seconds.
   *
   * @param failedShare from 0 to 1
   */
  record Rate(double perSecond, double failedShare) {
    static final Rate NOTHING = new Rate(0, 0);
  }

  @GuardedBy("this")
  private final Map<ModelId, Deque<Look>> looks = new HashMap<>();

  /** Records that one more second is over. */
  synchronized void add(long nanos, Map<ModelId, RequestTotals> totals) {
    looks.keySet().retainAll(totals.keySet());
    totals.forEach((version, requests) -> {
      Deque<Look> before = looks.computeIfAbsent(version, _ -> new ArrayDeque<>());
      if (!before.isEmpty() && isOfAnother(before.getLast().requests, requests)) {
        before.clear();
      }
      before.addLast(new Look(nanos, requests));
      if (before.size() > SECONDS + 1) {
        before.removeFirst();
      }
    });
  }

  /** Whether the counts began anew, since the version was loaded again. */
  private static boolean isOfAnother(RequestTotals before, RequestTotals now) {
    return now.answered() < before.answered() || now.failed() < before.failed();
  }

  /** Returns how a version did; nothing before two seconds of it were seen. */
  synchronized Rate of(ModelId version) {
    Deque<Look> known = looks.get(version);
    if (known == null || known.size() < 2) {
      return Rate.NOTHING;
    }
    Look first = known.getFirst();
    Look newest = known.getLast();
    RequestTotals lately = newest.requests.since(first.requests);
    double seconds = Math.max(1, newest.nanos - first.nanos) / NANOS_OF_SECOND;
    return new Rate(lately.ended() / seconds, lately.failedShare());
  }
}
