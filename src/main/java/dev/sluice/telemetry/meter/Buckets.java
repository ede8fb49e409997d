package dev.sluice.telemetry.meter;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Upper bounds of a histogram's buckets, which belong to their buckets unless said otherwise, then
 * infinity.
 */
public final class Buckets {
  /** TensorFlow Serving's of latencies: 33 from 10 µs on, each 1.8 times the one before. */
  public static final Buckets LATENCY = exponential(10_000, 1.8, 33);

  /** TensorFlow Serving's of waiting: 52 from 100 µs on, each 1.2 times the one before. */
  public static final Buckets WAITING = exponential(100_000, 1.2, 52);

  /**
   * TensorFlow Serving's of examples: 15 from 1 on, each twice the one before. There a bound does
   * not belong to its bucket, so that one example is counted up to 2.
   */
  static final Buckets EXAMPLES = exponential(1, 2, 15).withoutBounds();

  /** Triton's of the time to a first response: 100, 500, 2000 and 5000 ms. */
  static final Buckets FIRST_RESPONSE = new Buckets(new double[] {100e6, 500e6, 2_000e6, 5_000e6});

  /** Those of an event loop's lag: fine around 10 ms, from 250 µs to 5 s. */
  public static final Buckets LAG =
      new Buckets(
          new double[] {
            250e3, 500e3, 1e6, 1.5e6, 2e6, 3e6, 4e6, 5e6, 6e6, 8e6, 10e6, 12e6, 15e6, 20e6, 30e6,
            50e6, 75e6, 100e6, 150e6, 200e6, 300e6, 500e6, 1e9, 2e9, 5e9
          });

  private final double[] bounds;

  /** Bounds as they are shown: the same for each series and scrape. */
  private final ConcurrentMap<Form, double[]> shown = new ConcurrentHashMap<>();

  private final boolean excluding;

  /** By the length of a value in bits: the first bucket that such a value can be in. */
  private final int[] first = new int[Long.SIZE];

  private record Form(double unit, int digits) {}

  private Buckets(double[] bounds) {
    this(bounds, false);
  }

  private Buckets(double[] bounds, boolean excluding) {
    this.bounds = bounds;
    this.excluding = excluding;
    for (int bits = 1; bits < first.length; bits++) {
      first[bits] = search(first[bits - 1], 1L << (bits - 1));
    }
  }

  private static Buckets exponential(double first, double factor, int count) {
    double[] bounds = new double[count];
    double bound = first;
    for (int i = 0; i < count; i++) {
      bounds[i] = bound;
      bound *= factor;
    }
    return new Buckets(bounds);
  }

  private Buckets withoutBounds() {
    return new Buckets(bounds, true);
  }

  /** Returns how many there are, the one up to infinity included. */
  public int count() {
    return bounds.length + 1;
  }

  /** Returns the upper bound of a bucket. */
  public double bound(int index) {
    return bounds[index];
  }

  /**
   * Returns the upper bounds of all as they are shown, the last one infinity.
   *
   * @param unit what values are divided by
   * @param digits digits of each: 32.4, not 32.400000000000006
   */
  public double[] bounds(double unit, int digits) {
    return shown.computeIfAbsent(new Form(unit, digits), this::rounded).clone();
  }

  private double[] rounded(Form form) {
    double[] rounded = new double[count()];
    var digits = new MathContext(form.digits);
    for (int i = 0; i < bounds.length; i++) {
      rounded[i] = new BigDecimal(bounds[i] / form.unit).round(digits).doubleValue();
    }
    rounded[bounds.length] = Double.POSITIVE_INFINITY;
    return rounded;
  }

  /** Returns the bucket of a value. */
  int index(long value) {
    return value <= 0
        ? search(0, value)
        : search(first[Long.SIZE - Long.numberOfLeadingZeros(value)], value);
  }

  /** Few steps: from one power of two to the next there are no more than four buckets. */
  private int search(int from, long value) {
    int index = from;
    while (index < bounds.length && (excluding ? bounds[index] <= value : bounds[index] < value)) {
      index++;
    }
    return index;
  }
}
