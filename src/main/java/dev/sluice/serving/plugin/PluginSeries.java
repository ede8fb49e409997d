package dev.sluice.serving.plugin;

import dev.sluice.extension.Metrics;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Buckets;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One series that a plugin records: a meter of Micrometer's, once it is registered; until then it
 * records nothing. Any thread.
 */
sealed interface PluginSeries {
  /** Returns the kind of its family. */
  Kind kind();

  /** Returns how many lines of the page it takes. */
  default int lines() {
    return 1;
  }

  /** Makes it a meter of a registry. Before others see it. */
  void register(MeterRegistry registry, String name, String help, Tags labels);

  /** A counter. */
  final class Count implements PluginSeries, Metrics.Counter {
    private @Nullable Counter meter;

    @Override
    public Kind kind() {
      return Kind.COUNTER;
    }

    @Override
    public void register(MeterRegistry registry, String name, String help, Tags labels) {
      meter = Counter.builder(name).description(help).tags(labels).register(registry);
    }

    @Override
    public void add(long amount) {
      if (amount < 0) {
        throw new IllegalArgumentException("a counter grows; got an amount of " + amount);
      }
      if (meter != null) {
        meter.increment((double) amount);
      }
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
    public void register(MeterRegistry registry, String name, String help, Tags labels) {
      var _ = Gauge.builder(name, () -> value).description(help).tags(labels).register(registry);
    }

    @Override
    public void set(double level) {
      value = level;
    }
  }

  /** A timer, with the buckets of all latencies. */
  final class Times implements PluginSeries, Metrics.Timer {
    private static final int SUM_COUNT_AND_LONGEST = 3;

    private static final Duration[] BOUNDS =
        IntStream.range(0, Buckets.LATENCY.count() - 1)
            .mapToObj(i -> Duration.ofNanos(Math.round(Buckets.LATENCY.bound(i))))
            .toArray(Duration[]::new);

    private @Nullable Timer meter;

    @Override
    public Kind kind() {
      return Kind.HISTOGRAM;
    }

    @Override
    public int lines() {
      return Buckets.LATENCY.count() + SUM_COUNT_AND_LONGEST;
    }

    @Override
    public void register(MeterRegistry registry, String name, String help, Tags labels) {
      meter =
          Timer.builder(name)
              .description(help)
              .tags(labels)
              .serviceLevelObjectives(BOUNDS)
              .register(registry);
    }

    @Override
    public void record(Duration taken) {
      if (taken.isNegative()) {
        throw new IllegalArgumentException("a timer counts durations; got one of " + taken);
      }
      if (meter != null) {
        meter.record(taken);
      }
    }
  }
}
