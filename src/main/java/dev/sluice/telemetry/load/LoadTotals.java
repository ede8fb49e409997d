package dev.sluice.telemetry.load;

import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Collection;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * What the loaded versions have counted until a moment. They become smaller when a version is
 * unloaded.
 *
 * @param nanos when
 * @param processorNanos time that the process computed so far
 * @param answered requests that were answered
 * @param failed requests that the server could not answer: their callers did not leave
 * @param spentNanos time that answered requests spent in each version, waiting included
 */
record LoadTotals(
    long nanos,
    long processorNanos,
    long answered,
    long failed,
    Map<VersionMeter, Long> spentNanos) {
  static LoadTotals of(Collection<VersionMeter> versions, long nanos, long processorNanos) {
    long answered = 0;
    long failed = 0;
    // Weak: the totals of the last report outlive versions that are unloaded.
    Map<VersionMeter, Long> spent = WeakHashMap.newWeakHashMap(versions.size());
    for (VersionMeter version : versions) {
      Times times = version.answered();
      answered += times.count();
      spent.put(version, times.nanos());
      failed += failures(version);
    }
    return new LoadTotals(nanos, processorNanos, answered, failed, spent);
  }

  private static long failures(VersionMeter version) {
    return version.failures(FailureReason.REJECTED)
        + version.failures(FailureReason.BACKEND)
        + version.failures(FailureReason.OTHER);
  }

  /** Returns how many requests were in a version at once, on average since then. */
  double inside(VersionMeter version, LoadTotals before) {
    long now = spentNanos.getOrDefault(version, 0L);
    return share(now - before.spentNanos.getOrDefault(version, 0L), before);
  }

  /** Returns how many processors were computing, on average since then. */
  double processors(LoadTotals before) {
    return share(processorNanos - before.processorNanos, before);
  }

  private double share(long spent, LoadTotals before) {
    return (double) Math.max(0, spent) / Math.max(1, nanos - before.nanos);
  }

  /** Returns the rate of something that was counted since then, a second. */
  double perSecond(long more, LoadTotals before) {
    return share(more, before) * 1e9;
  }
}
