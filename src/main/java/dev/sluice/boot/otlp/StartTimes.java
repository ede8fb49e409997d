package dev.sluice.boot.otlp;

import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Since when each series counts, by which readers tell that it begins anew: when a version is
 * loaded again, for example. A series that was not in the last reading, or that was higher there,
 * has begun after that. One thread.
 *
 * <p>Units: nanoseconds since 1970.
 */
final class StartTimes {
  private record Series(String metric, Labels labels) {}

  private record Count(long start, double value) {}

  private Map<Series, Count> last = new HashMap<>();
  private Map<Series, Count> current = new HashMap<>();
  private long lastReading;

  /**
   * @param processStart before which nothing was counted
   */
  StartTimes(long processStart) {
    this.lastReading = processStart;
  }

  /** Returns when a series has begun. */
  long of(String metric, DataPointSnapshot point, double value) {
    if (point.hasCreatedTimestamp()) {
      return TimeUnit.MILLISECONDS.toNanos(point.getCreatedTimestampMillis());
    }
    var series = new Series(metric, point.getLabels());
    Count before = last.get(series);
    long start = before == null || value < before.value ? lastReading : before.start;
    current.put(series, new Count(start, value));
    return start;
  }

  /** Ends a reading: a series that was not in it is forgotten. */
  void end(long reading) {
    last = current;
    current = new HashMap<>();
    lastReading = reading;
  }
}
