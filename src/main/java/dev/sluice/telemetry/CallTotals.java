package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.ModelMeter;
import java.util.List;

/**
 * Totals of calls, and the time of those that succeeded: all so far, or those between two moments.
 * Immutable.
 */
public final class CallTotals {
  private static final Buckets TIMES = Buckets.LATENCY;
  private static final List<Api> ALL = List.of(Api.values());

  /** No calls at all. */
  public static final CallTotals NONE = new CallTotals(0, 0, 0, new long[TIMES.count()]);

  private final long succeeded;
  private final long failed;
  private final long nanos;
  private final long[] buckets;

  private CallTotals(long succeeded, long failed, long nanos, long[] buckets) {
    this.succeeded = succeeded;
    this.failed = failed;
    this.nanos = nanos;
    this.buckets = buckets;
  }

  /** Returns all calls to a model so far. */
  static CallTotals of(ModelMeter model) {
    CallTotals all = NONE;
    for (ApiCalls calls : ApiCalls.of(model, ALL)) {
      all = all.plus(of(calls.meter()), 1);
    }
    return all;
  }

  private static CallTotals of(CallMeter meter) {
    Distribution whole = meter.whole();
    long[] buckets = new long[TIMES.count()];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = whole.count(i);
    }
    return new CallTotals(meter.successes(), meter.failures(), whole.sum(), buckets);
  }

  /** These and those. */
  public CallTotals plus(CallTotals more) {
    return plus(more, 1);
  }

  /** Returns the difference to an earlier state. */
  public CallTotals since(CallTotals before) {
    return plus(before, -1);
  }

  private CallTotals plus(CallTotals other, int times) {
    long[] sums = new long[buckets.length];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = buckets[i] + times * other.buckets[i];
    }
    return new CallTotals(
        succeeded + times * other.succeeded,
        failed + times * other.failed,
        nanos + times * other.nanos,
        sums);
  }

  /** Returns the calls that ended well. */
  public long succeeded() {
    return succeeded;
  }

  /** Calls that ended, well or not. */
  public long calls() {
    return succeeded + failed;
  }

  /** Returns the part of the calls that failed, from 0 to 1; 0 if there were none. */
  public double failedShare() {
    return calls() == 0 ? 0 : (double) failed / calls();
  }

  /** Returns how long a call took on average; 0 if none succeeded. */
  public double meanNanos() {
    return succeeded == 0 ? 0 : (double) nanos / succeeded;
  }

  /**
   * Returns how long at most so large a part of the calls took, to the precision of a histogram:
   * its buckets end at 1.8 times where they begin.
   *
   * @param share from 0 to 1; with 1 it is the end of the slowest call's bucket
   * @return 0 if no call succeeded
   */
  public double quantileNanos(double share) {
    long count = 0;
    for (long bucket : buckets) {
      count += bucket;
    }
    double rank = share * count;
    long before = 0;
    for (int i = 0; i < buckets.length; i++) {
      if (buckets[i] > 0 && before + buckets[i] >= rank) {
        return within(i, (rank - before) / buckets[i]);
      }
      before += buckets[i];
    }
    return 0;
  }

  /** Interpolates a quantile within a bucket; the upper bound of the last one is unknown. */
  private static double within(int bucket, double share) {
    double from = bucket == 0 ? 0 : TIMES.bound(bucket - 1);
    return bucket == TIMES.count() - 1 ? from : from + share * (TIMES.bound(bucket) - from);
  }
}
