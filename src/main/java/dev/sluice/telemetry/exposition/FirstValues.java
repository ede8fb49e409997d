package dev.sluice.telemetry.exposition;

import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/** The first series of counters and gauges, which stand for all. */
final class FirstValues {
  private FirstValues() {}

  /** Returns their values by their names on the page. */
  static Map<String, Long> of(MetricSnapshots families) {
    Map<String, Long> values = new HashMap<>();
    for (MetricSnapshot family : families) {
      family.getDataPoints().stream()
          .findFirst()
          .ifPresent(first ->
              value(first).ifPresent(value -> values.put(name(family, first), (long) value)));
    }
    return values;
  }

  private static String name(MetricSnapshot family, DataPointSnapshot point) {
    String name = family.getMetadata().getName();
    return point instanceof CounterDataPointSnapshot ? name + "_total" : name;
  }

  private static OptionalDouble value(DataPointSnapshot point) {
    return switch (point) {
      case CounterDataPointSnapshot counter -> OptionalDouble.of(counter.getValue());
      case UnknownDataPointSnapshot counter -> OptionalDouble.of(counter.getValue());
      case GaugeDataPointSnapshot gauge -> OptionalDouble.of(gauge.getValue());
      default -> OptionalDouble.empty();
    };
  }
}
