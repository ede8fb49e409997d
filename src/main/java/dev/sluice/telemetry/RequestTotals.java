package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;

/**
 * Requests that reached a version: all since it was loaded, or those between two moments.
 *
 * @param answered by a run, another model or a cache
 * @param failed those that were refused too
 */
public record RequestTotals(long answered, long failed) {
  static RequestTotals of(VersionMeter version) {
    long failed = 0;
    for (FailureReason reason : FailureReason.values()) {
      failed += version.failures(reason);
    }
    return new RequestTotals(version.answered().count(), failed);
  }

  /** Returns whether later ones count on; else the version was loaded again meanwhile. */
  public boolean isContinuedBy(RequestTotals later) {
    return later.answered >= answered && later.failed >= failed;
  }

  /** Returns the difference to an earlier state. */
  public RequestTotals since(RequestTotals before) {
    return new RequestTotals(answered - before.answered, failed - before.failed);
  }

  /** Returns the number of requests that ended, well or not. */
  public long ended() {
    return answered + failed;
  }

  /** Returns the part of the requests that failed, from 0 to 1; 0 if there were none. */
  public double failedShare() {
    return ended() == 0 ? 0 : (double) failed / ended();
  }
}
