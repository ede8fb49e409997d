package dev.sluice.boot.otlp;

import static io.opentelemetry.sdk.metrics.data.AggregationTemporality.CUMULATIVE;

import dev.sluice.boot.cli.VersionText;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.data.SummaryData;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metrics of the page as those of OpenTelemetry, by its specification for Prometheus'
 * metrics: names stay as they are, counters are cumulative sums, what has no type is a gauge, an
 * info is a sum that is always 1. One thread, the SDK's.
 */
final class MetricReading implements CollectionRegistration {
  private final Supplier<MetricSnapshots> snapshots;
  private final Resource resource;
  private final InstantSource clock;
  private final StartTimes starts;
  private final InstrumentationScopeInfo scope =
      InstrumentationScopeInfo.builder("dev.sluice").setVersion(VersionText.number()).build();

  /**
   * @param snapshots of the metrics, taken on each reading
   * @param resource what they say of this server
   */
  MetricReading(Supplier<MetricSnapshots> snapshots, Resource resource, InstantSource clock) {
    this.snapshots = snapshots;
    this.resource = resource;
    this.clock = clock;
    this.starts =
        new StartTimes(
            nanos(ProcessHandle.current().info().startInstant().orElseGet(clock::instant)));
  }

  private static long nanos(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }

  @Override
  public Collection<MetricData> collectAllMetrics() {
    List<MetricData> metrics = new ArrayList<>();
    MetricSnapshots read = snapshots.get();
    long time = nanos(clock.instant());
    for (MetricSnapshot family : read) {
      Metric metric = family.getDataPoints().isEmpty() ? null : metric(family, time);
      if (metric != null) {
        metrics.add(metric);
      }
    }
    starts.end(time);
    return metrics;
  }

  private @Nullable Metric metric(MetricSnapshot family, long time) {
    String name = family.getMetadata().getPrometheusName();
    return switch (family) {
      case CounterSnapshot counter -> {
        var points = new SeriesPoints(name + "_total", starts, time);
        yield sum(family, points.metric(), true, all(counter.getDataPoints(), points::counter));
      }
      case GaugeSnapshot gauge -> {
        var points = new SeriesPoints(name, starts, time);
        yield gauge(family, name, all(gauge.getDataPoints(), points::gauge));
      }
      case UnknownSnapshot unknown -> {
        var points = new SeriesPoints(name, starts, time);
        yield gauge(family, name, all(unknown.getDataPoints(), points::unknown));
      }
      case InfoSnapshot info -> {
        var points = new SeriesPoints(name + "_info", starts, time);
        yield sum(family, points.metric(), false, all(info.getDataPoints(), points::info));
      }
      case HistogramSnapshot histogram -> histogram(histogram, name, time);
      case SummarySnapshot summary -> summary(summary, name, time);
      // Sets of states, which nothing here makes.
      default -> null;
    };
  }

  private Metric histogram(HistogramSnapshot family, String name, long time) {
    var points = new SeriesPoints(name, starts, time);
    return metric(
        family,
        name,
        MetricDataType.HISTOGRAM,
        HistogramData.create(CUMULATIVE, all(family.getDataPoints(), points::histogram)));
  }

  private Metric summary(SummarySnapshot family, String name, long time) {
    var points = new SeriesPoints(name, starts, time);
    return metric(
        family,
        name,
        MetricDataType.SUMMARY,
        SummaryData.create(all(family.getDataPoints(), points::summary)));
  }

  private static <S, P> List<P> all(List<S> series, Function<S, P> point) {
    return series.stream().map(point).toList();
  }

  private Metric sum(
      MetricSnapshot family, String name, boolean monotonic, List<DoublePointData> points) {
    return metric(
        family,
        name,
        MetricDataType.DOUBLE_SUM,
        SumData.createDoubleSumData(monotonic, CUMULATIVE, points));
  }

  private Metric gauge(MetricSnapshot family, String name, List<DoublePointData> points) {
    return metric(
        family, name, MetricDataType.DOUBLE_GAUGE, GaugeData.createDoubleGaugeData(points));
  }

  private Metric metric(MetricSnapshot family, String name, MetricDataType type, Data<?> data) {
    String help = family.getMetadata().getHelp();
    return new Metric(resource, scope, name, help == null ? "" : help, unit(name), type, data);
  }

  /** Returns the unit that a name ends in, as OpenTelemetry writes it; empty if it says none. */
  private static String unit(String name) {
    String base = name.replaceFirst("_total$", "");
    if (base.endsWith("_seconds")) {
      return "s";
    }
    return base.endsWith("_bytes") ? "By" : "";
  }
}
