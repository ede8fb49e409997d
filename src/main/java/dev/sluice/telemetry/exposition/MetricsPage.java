package dev.sluice.telemetry.exposition;

import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import dev.sluice.telemetry.meter.LatencySummary;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one source has at one scrape, in the making: families of snapshots, which Prometheus' client
 * writes. One thread.
 */
public final class MetricsPage {
  /** Digits of a bucket's bound. */
  private static final int DIGITS = 7;

  private static final int DIGITS_OF_TENSORFLOW = 6;

  private static final String TOTAL = "_total";

  private final List<Family> families = new ArrayList<>();

  MetricsPage() {}

  /** The kind of a metric. */
  public enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM,
    SUMMARY
  }

  /** Begins a metric; its samples follow. */
  public Family family(String name, Kind kind, String help) {
    return add(new Family(name, kind, help, false));
  }

  /** Begins a metric of TensorFlow Serving's: its form is as there, without exemplars. */
  public Family tensorflowFamily(String name, Kind kind, String help) {
    return add(new Family(name, kind, help, true));
  }

  private Family add(Family family) {
    families.add(family);
    return family;
  }

  /** Writes a metric with one series and no labels; beyond 2^53 it is the nearest double. */
  public void single(String name, Kind kind, String help, long value) {
    single(name, kind, help, (double) value);
  }

  /** Writes a metric with one series and no labels. */
  public void single(String name, Kind kind, String help, double value) {
    family(name, kind, help).add(value);
  }

  /** Returns what source has. */
  static MetricSnapshots of(MetricSource source) {
    var page = new MetricsPage();
    source.write(page);
    return new MetricSnapshots(page.families.stream().map(Family::snapshot).toList());
  }

  /** Returns the name on the page of TensorFlow's metric of this path. */
  public static String name(String path) {
    return path.replaceAll("[^A-Za-z0-9_]", ":");
  }

  /** One metric. Labels are names and values by turns; of two series with the same, one remains. */
  public static final class Family {
    private final String name;
    private final Kind kind;
    private final String help;
    private final boolean tensorflow;
    private final Map<Labels, DataPointSnapshot> points = new LinkedHashMap<>();

    private Family(String name, Kind kind, String help, boolean tensorflow) {
      this.name = name;
      this.kind = kind;
      this.help = help;
      this.tensorflow = tensorflow;
    }

    /** Adds a series and its value; beyond 2^53 it is the nearest double. */
    public Family add(long value, String... names) {
      return add((double) value, names);
    }

    /** Adds a series and its value. */
    public Family add(double value, String... names) {
      Labels labels = Labels.of(names);
      return add(
          labels,
          switch (kind) {
            case COUNTER ->
                name.endsWith(TOTAL)
                    ? new CounterDataPointSnapshot(value, labels, null, 0)
                    : new UnknownDataPointSnapshot(value, labels, null);
            case GAUGE -> new GaugeDataPointSnapshot(value, labels, null);
            case HISTOGRAM, SUMMARY -> throw new IllegalStateException(name + " has no one value");
          });
    }

    /**
     * Adds a histogram's series.
     *
     * @param unit what recorded values are divided by
     */
    public Family add(Distribution values, double unit, String... names) {
      return add(List.of(values), values.buckets(), unit, names);
    }

    /**
     * Adds a histogram's series.
     *
     * @param parts are added up; they have the same buckets
     * @param unit what recorded values are divided by
     */
    public Family add(List<Distribution> parts, Buckets buckets, double unit, String... names) {
      Labels labels = Labels.of(names);
      double sum = parts.stream().mapToLong(Distribution::sum).sum() / unit;
      return add(
          labels,
          new HistogramDataPointSnapshot(
              counts(parts, buckets, unit), sum, labels, lastRequests(parts, buckets, unit), 0));
    }

    /**
     * Adds a summary's series.
     *
     * @param unit what recorded values are divided by
     */
    public Family add(
        List<Double> quantiles, LatencySummary.Shown shown, double unit, String... names) {
      Labels labels = Labels.of(names);
      List<Quantile> values = new ArrayList<>();
      for (int i = 0; i < quantiles.size(); i++) {
        values.add(new Quantile(quantiles.get(i), shown.quantiles().get(i) / unit));
      }
      return add(
          labels,
          new SummaryDataPointSnapshot(
              shown.count(),
              shown.nanos() / unit,
              Quantiles.of(values),
              labels,
              Exemplars.EMPTY,
              0));
    }

    private Family add(Labels labels, DataPointSnapshot point) {
      points.put(labels, point);
      return this;
    }

    private ClassicHistogramBuckets counts(List<Distribution> parts, Buckets buckets, double unit) {
      long[] counts = new long[buckets.count()];
      for (int i = 0; i < counts.length; i++) {
        for (Distribution part : parts) {
          counts[i] += part.count(i);
        }
      }
      return ClassicHistogramBuckets.of(
          buckets.bounds(unit, tensorflow ? DIGITS_OF_TENSORFLOW : DIGITS), counts);
    }

    /** Returns the last request with a span of each bucket. */
    private Exemplars lastRequests(List<Distribution> parts, Buckets buckets, double unit) {
      List<io.prometheus.metrics.model.snapshots.Exemplar> found = new ArrayList<>();
      for (int i = 0; !tensorflow && i < buckets.count(); i++) {
        Exemplar last = lastRequest(parts, i);
        if (last != null) {
          found.add(exemplar(last, unit));
        }
      }
      return Exemplars.of(found);
    }

    private static @Nullable Exemplar lastRequest(List<Distribution> parts, int bucket) {
      @Nullable Exemplar last = null;
      for (Distribution part : parts) {
        Exemplar its = part.exemplar(bucket);
        if (its != null && (last == null || its.epochMillis() > last.epochMillis())) {
          last = its;
        }
      }
      return last;
    }

    private static io.prometheus.metrics.model.snapshots.Exemplar exemplar(
        Exemplar last, double unit) {
      return io.prometheus.metrics.model.snapshots.Exemplar.builder()
          .traceId(last.span().traceId())
          .spanId(last.span().spanId())
          .value(last.value() / unit)
          .timestampMillis(last.epochMillis())
          .build();
    }

    /** A counter that is not named like one has an unknown type, as OpenMetrics demands. */
    private MetricSnapshot snapshot() {
      return switch (kind) {
        case COUNTER ->
            name.endsWith(TOTAL)
                ? new CounterSnapshot(
                    metadata(name.substring(0, name.length() - TOTAL.length())),
                    all(CounterDataPointSnapshot.class))
                : new UnknownSnapshot(metadata(name), all(UnknownDataPointSnapshot.class));
        case GAUGE -> new GaugeSnapshot(metadata(name), all(GaugeDataPointSnapshot.class));
        case HISTOGRAM ->
            new HistogramSnapshot(metadata(name), all(HistogramDataPointSnapshot.class));
        case SUMMARY -> new SummarySnapshot(metadata(name), all(SummaryDataPointSnapshot.class));
      };
    }

    private MetricMetadata metadata(String family) {
      return new MetricMetadata(family, help);
    }

    private <T extends DataPointSnapshot> Collection<T> all(Class<T> type) {
      return points.values().stream().map(type::cast).toList();
    }
  }
}
