package dev.sluice.ops;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/**
 * A value second by second for a minute, then by the minute, hour and day, as grps' monitor shows
 * it. Not for several threads at once.
 */
final class TimeSeries {
  static final int SECONDS = 60;
  private static final int MINUTES = 60;
  private static final int HOURS = 24;
  private static final int DAYS = 30;

  private final ToDoubleFunction<RingBuffer> join;
  private final RingBuffer seconds = new RingBuffer(SECONDS);
  private final RingBuffer minutes = new RingBuffer(MINUTES);
  private final RingBuffer hours = new RingBuffer(HOURS);
  private final RingBuffer days = new RingBuffer(DAYS);

  private TimeSeries(ToDoubleFunction<RingBuffer> join) {
    this.join = join;
  }

  /** Downsamples by means: a minute's value is the mean of its seconds, and so on. */
  static TimeSeries ofMeans() {
    return new TimeSeries(RingBuffer::mean);
  }

  /** Downsamples by peaks: a minute's value is the largest of its seconds, and so on. */
  static TimeSeries ofPeaks() {
    return new TimeSeries(RingBuffer::most);
  }

  /** Records that one more second is over. */
  void add(double value) {
    if (seconds.add(value)
        && minutes.add(join.applyAsDouble(seconds))
        && hours.add(join.applyAsDouble(minutes))) {
      days.add(join.applyAsDouble(hours));
    }
  }

  /** 30 days, 24 hours, 60 minutes, 60 seconds; the newest second is the last. */
  double[] points() {
    double[] points = new double[DAYS + HOURS + MINUTES + SECONDS];
    seconds.copy(points, minutes.copy(points, hours.copy(points, days.copy(points, 0))));
    return points;
  }

  /** Returns the last minute's seconds; the newest is the last. */
  double[] lastMinute() {
    double[] points = points();
    return Arrays.copyOfRange(points, points.length - SECONDS, points.length);
  }
}
