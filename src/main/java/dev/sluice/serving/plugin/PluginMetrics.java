package dev.sluice.serving.plugin;

import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

/** The metrics that plugins record, of all versions. Any thread. */
public final class PluginMetrics implements MetricSource {
  private static final String TOTAL = "_total";

  private final List<PluginVersionMetrics> versions = new CopyOnWriteArrayList<>();
  private final LongAdder refused = new LongAdder();

  /** Has them shown on the page, besides how many there are not. */
  public void addTo(Telemetry telemetry) {
    telemetry.add(this);
    telemetry.collect(this::collect);
  }

  /** Returns the metrics of a version that is being loaded, which the page shows until closed. */
  public PluginVersionMetrics of(ModelId model) {
    var metrics = new PluginVersionMetrics(model, this);
    versions.add(metrics);
    return metrics;
  }

  void forget(PluginVersionMetrics metrics) {
    versions.remove(metrics);
  }

  void refuse() {
    refused.increment();
  }

  /**
   * Requires that no loaded version has a family of another kind by this name, or by what remains
   * of it: OpenMetrics names the family of a counter without its ending.
   */
  void requireKind(String name, Kind kind) {
    for (PluginVersionMetrics version : versions) {
      version
          .families()
          .forEach((other, its) -> {
            if (its != kind && base(other).equals(base(name))) {
              throw new IllegalArgumentException(
                  "metric '%s' would be a %s, but model %s has the %s '%s'"
                      .formatted(name, word(kind), version.model(), word(its), other));
            }
          });
    }
  }

  private static String base(String name) {
    return name.endsWith(TOTAL) ? name.substring(0, name.length() - TOTAL.length()) : name;
  }

  static String word(Kind kind) {
    return switch (kind) {
      case COUNTER -> "counter";
      case GAUGE -> "gauge";
      case HISTOGRAM, SUMMARY -> "timer";
    };
  }

  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_plugin_series_refused_total",
        Kind.COUNTER,
        "Series of plugins that are not recorded, since their version has too many.",
        refused.sum());
  }

  /** Returns the families of each version; those of one name have the same kind. */
  private MetricSnapshots collect() {
    List<MetricSnapshot> families = new ArrayList<>();
    shown().values().forEach(version -> version.collect().forEach(families::add));
    return new MetricSnapshots(families);
  }

  /** Returns the newest load of each version: while it replaces another, both are here. */
  private Map<ModelId, PluginVersionMetrics> shown() {
    Map<ModelId, PluginVersionMetrics> newest = new HashMap<>();
    versions.forEach(version -> newest.put(version.model(), version));
    return newest;
  }
}
