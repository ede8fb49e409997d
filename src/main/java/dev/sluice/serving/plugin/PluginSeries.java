package dev.sluice.serving.plugin;

import dev.sluice.extension.Metrics;
import dev.sluice.telemetry.MetricsPage.Family;
import dev.sluice.telemetry.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Histogram;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** One series that a plugin records. Any thread. */
sealed interface PluginSeries {
  /** Returns the kind of its family. */
  Kind kind();

  /** Returns how many lines of the page it takes. */
  default int lines() {
    return 1;
  }

  /** Writes its value. */
  void write(Family family, String... labels);

  /** A counter. */
  final class Count implements PluginSeries, Metrics.Counter {
    private final LongAdder sum = new LongAdder();

    @Override
    public Kind kind() {
      return Kind.COUNTER;
    }

    @Override
    public void add(long amount) {
      if (amount < 0) {
        throw new IllegalArgumentException("a counter grows; got an amount of " + amount);
      }
      sum.add(amount);
    }

    @Override
    public void write(Family family, String... labels) {
      var _ = family.add(sum.sum(), labels);
    }
  }

  /** A gauge. */
  final class Level implements PluginSeries, Metrics.Gauge {
    private volatile double value;

    @Override
    public Kind kind() {
      return Kind.GAUGE;
    }

    @Override
    public void set(double level) {
      value = level;
    }

    @Override
    public void write(Family family, String... labels) {
      var _ = family.add(value, labels);
    }
  }

  /** A timer, in nanoseconds. */
  final class Times implements PluginSeries, Metrics.Timer {
    private static final double SECONDS = 1e9;
    private static final int SUM_AND_COUNT = 2;

    private final Histogram nanos = new Histogram(Buckets.LATENCY);

    @Override
    public Kind kind() {
      return Kind.HISTOGRAM;
    }

    @Override
    public int lines() {
      return Buckets.LATENCY.count() + SUM_AND_COUNT;
    }

    @Override
    public void record(Duration taken) {
      if (taken.isNegative()) {
        throw new IllegalArgumentException("a timer counts durations; got one of " + taken);
      }
      nanos.add(taken.toNanos());
    }

    @Override
    public void write(Family family, String... labels) {
      var _ = family.add(nanos, SECONDS, labels);
    }
  }
}
