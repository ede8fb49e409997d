package dev.sluice.serving.plugin;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.extension.Metrics;
import dev.sluice.inference.ModelId;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The metrics that the plugin of one version records. Any thread.
 *
 * <p>Owner: the plugin's code, whose end closes it.
 */
public final class PluginVersionMetrics implements Metrics, AutoCloseable {
  private static final String PREFIX = "plugin_";
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]{0,127}");

  /** Labels that the page adds by itself. */
  private static final Set<String> RESERVED = Set.of("model", "version", "le", "quantile");

  private static final List<String> NOT_OF_GAUGES =
      List.of("_total", "_seconds", "_seconds_max", "_bucket", "_sum", "_count", "_created");

  private final ModelId model;
  private final PluginMetrics all;
  private final ConcurrentMap<Key, PluginSeries> series = new ConcurrentHashMap<>();

  /** The meters of this load alone; null before the first. Written under the lock of all. */
  private volatile @Nullable PrometheusMeterRegistry registry;

  /** Lines of the page that the series take. */
  @GuardedBy("all")
  private int lines;

  PluginVersionMetrics(ModelId model, PluginMetrics all) {
    this.model = model;
    this.all = all;
  }

  private record Key(String name, Tags labels) {}

  ModelId model() {
    return model;
  }

  /** Returns what was recorded so far. */
  MetricSnapshots collect() {
    PrometheusMeterRegistry meters = registry;
    return meters == null ? new MetricSnapshots() : meters.getPrometheusRegistry().scrape();
  }

  Map<String, Kind> families() {
    Map<String, Kind> kinds = new TreeMap<>();
    series.forEach((key, its) -> kinds.put(key.name(), its.kind()));
    return kinds;
  }

  @Override
  public Counter counter(String name, String help, String... labels) {
    require(name, "counter", "a name that ends in _total", name.endsWith("_total"));
    return series(PluginSeries.Count.class, PluginSeries.Count::new, name, help, labels);
  }

  @Override
  public Gauge gauge(String name, String help, String... labels) {
    require(
        name,
        "gauge",
        "a name that ends in none of " + String.join(", ", NOT_OF_GAUGES),
        NOT_OF_GAUGES.stream().noneMatch(name::endsWith));
    return series(PluginSeries.Level.class, PluginSeries.Level::new, name, help, labels);
  }

  @Override
  public Timer timer(String name, String help, String... labels) {
    require(name, "timer", "a name that ends in _seconds", name.endsWith("_seconds"));
    return series(PluginSeries.Times.class, PluginSeries.Times::new, name, help, labels);
  }

  private static void require(String name, String kind, String wanted, boolean ending) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s '%s': wanted a name of letters, digits and underscores".formatted(kind, name));
    }
    if (!ending) {
      throw new IllegalArgumentException("%s '%s': wanted %s".formatted(kind, name, wanted));
    }
  }

  /** Returns the series of a name and labels; one that is not shown beyond the limit. */
  private <T extends PluginSeries> T series(
      Class<T> kind, Supplier<T> made, String name, String help, String... labels) {
    var key = new Key(name, labels(name, labels));
    PluginSeries known = series.get(key);
    return kind.cast(known == null ? add(key, help, made.get()) : known);
  }

  private PluginSeries add(Key key, String help, PluginSeries made) {
    // One lock for all versions: two that load at once must not give one family two kinds.
    synchronized (all) {
      return addLocked(key, help, made);
    }
  }

  @GuardedBy("all")
  private PluginSeries addLocked(Key key, String help, PluginSeries made) {
    PluginSeries known = series.get(key);
    if (known != null) {
      return known;
    }
    if (lines + made.lines() > MOST_SERIES) {
      all.refuse();
      return made;
    }
    all.requireKind(key.name(), made.kind());
    lines += made.lines();
    made.register(meters(), PREFIX + key.name(), help, key.labels());
    series.put(key, made);
    return made;
  }

  private PrometheusMeterRegistry meters() {
    PrometheusMeterRegistry meters = registry;
    if (meters == null) {
      meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      meters
          .config()
          .namingConvention(NamingConvention.identity)
          .commonTags("model", model.name(), "version", Long.toString(model.version()));
      registry = meters;
    }
    return meters;
  }

  private static Tags labels(String metric, String... labels) {
    if (labels.length % 2 != 0) {
      throw new IllegalArgumentException(
          "metric '%s': wanted names and values of labels by turns, got %s"
              .formatted(metric, Arrays.toString(labels)));
    }
    String[] cut = labels.clone();
    for (int i = 0; i < cut.length; i += 2) {
      requireLabel(metric, cut[i]);
      cut[i + 1] = cut[i + 1].substring(0, Math.min(cut[i + 1].length(), LONGEST_LABEL));
    }
    requireOnce(metric, cut);
    return Tags.of(cut);
  }

  private static void requireLabel(String metric, String label) {
    if (!NAME.matcher(label).matches() || label.startsWith("__") || RESERVED.contains(label)) {
      throw new IllegalArgumentException(
          "metric '%s': '%s' is no name of a label, or one that the server gives"
              .formatted(metric, label));
    }
  }

  private static void requireOnce(String metric, String... labels) {
    for (int i = 2; i < labels.length; i += 2) {
      for (int j = 0; j < i; j += 2) {
        if (labels[i].equals(labels[j])) {
          throw new IllegalArgumentException(
              "metric '%s' has the label '%s' twice".formatted(metric, labels[i]));
        }
      }
    }
  }

  /** Takes the metrics off the page. */
  @Override
  public void close() {
    all.forget(this);
    PrometheusMeterRegistry meters = registry;
    if (meters != null) {
      meters.close();
    }
  }
}
