package dev.sluice.telemetry.meter;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Latencies of the last minute, of which quantiles are asked: five slices of 12 s, the oldest of
 * which gives its place to the next. A quantile is found to within 2 percent of its value. Holds
 * some 20 KiB. Any thread; locks for tens of nanoseconds.
 */
public final class LatencySummary {
  private static final int SLICES = 5;
  private static final long SLICE_NANOS = 12_000_000_000L;

  /** Of each power of two there are so many buckets, as a power of two. */
  private static final int PART_BITS = 5;

  private static final int PARTS = 1 << PART_BITS;

  /** Nanoseconds in a unit of the buckets, as a power of two: latencies are not known better. */
  private static final int UNIT_BITS = 8;

  /** Beyond two hours all are alike. */
  private static final int MOST_BITS = 43 - UNIT_BITS;

  private static final int BUCKETS = (MOST_BITS - PART_BITS + 1) * PARTS;

  @GuardedBy("this")
  private final int[][] counts = new int[SLICES][BUCKETS];

  @GuardedBy("this")
  private final long[] sliceOf = new long[SLICES];

  @GuardedBy("this")
  private long count;

  @GuardedBy("this")
  private long nanos;

  /** The values that are shown at a moment: totals, and quantiles of the last minute. */
  public record Shown(long count, long nanos, List<Double> quantiles) {}

  /** The summaries of one version, if they are wanted. Any thread. */
  public static final class OfVersion {
    public final LatencySummary request = new LatencySummary();
    public final LatencySummary queue = new LatencySummary();
    public final LatencySummary input = new LatencySummary();
    public final LatencySummary infer = new LatencySummary();
    public final LatencySummary output = new LatencySummary();
    public final LatencySummary cacheHit = new LatencySummary();
    public final LatencySummary cacheMiss = new LatencySummary();
  }

  /**
   * Counts something that took a time.
   *
   * @param length its nanoseconds
   * @param times how often it took as long
   * @param now by the clock that is given to {@link #shown} too
   */
  public synchronized void add(long length, long times, long now) {
    long slice = Math.floorDiv(now, SLICE_NANOS);
    int place = Math.floorMod(slice, SLICES);
    if (sliceOf[place] != slice) {
      Arrays.fill(counts[place], 0);
      sliceOf[place] = slice;
    }
    counts[place][bucket(length)] += (int) times;
    count += times;
    nanos += length * times;
  }

  /** Each quantile is NaN if the last minute had none. */
  public synchronized Shown shown(List<Double> quantiles, long now) {
    long[] sums = new long[BUCKETS];
    long all = 0;
    long current = Math.floorDiv(now, SLICE_NANOS);
    for (int i = 0; i < SLICES; i++) {
      if (current - sliceOf[i] < SLICES) {
        for (int j = 0; j < BUCKETS; j++) {
          sums[j] += counts[i][j];
          all += counts[i][j];
        }
      }
    }
    List<Double> found = new ArrayList<>(quantiles.size());
    for (double quantile : quantiles) {
      found.add(quantile(sums, all, quantile));
    }
    return new Shown(count, nanos, found);
  }

  private static double quantile(long[] sums, long all, double quantile) {
    if (all == 0) {
      return Double.NaN;
    }
    long rank = Math.max(1, (long) Math.ceil(quantile * all));
    int bucket = 0;
    for (long below = sums[0]; below < rank; below += sums[bucket]) {
      bucket++;
    }
    return middle(bucket);
  }

  /** The first buckets are one unit wide, those of each further power of two twice as wide. */
  private static int bucket(long length) {
    long units = Math.max(0, length) >>> UNIT_BITS;
    if (units < PARTS) {
      return (int) units;
    }
    int shift = Long.SIZE - Long.numberOfLeadingZeros(units) - PART_BITS - 1;
    long bucket = ((long) (shift + 1) << PART_BITS) + (units >>> shift) - PARTS;
    return (int) Math.min(bucket, BUCKETS - 1);
  }

  private static double middle(int bucket) {
    int shift = Math.max(0, (bucket >>> PART_BITS) - 1);
    long part = bucket < PARTS ? bucket : (bucket & (PARTS - 1)) + PARTS;
    return ((part << shift) + (1L << shift) / 2.0) * (1 << UNIT_BITS);
  }
}
