package dev.sluice.boot.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.metrics.data.DoubleExemplarData;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.SummaryPointData;
import io.opentelemetry.sdk.metrics.data.ValueAtQuantile;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Makes the points of a metric's series in one reading. One thread.
 *
 * @param metric its name
 * @param starts since when series count
 * @param time of the reading, in nanoseconds since 1970
 */
record SeriesPoints(String metric, StartTimes starts, long time) {
  DoublePointData counter(CounterDataPointSnapshot counter) {
    return sum(counter, counter.getValue());
  }

  /** Its labels are what it says. */
  DoublePointData info(InfoDataPointSnapshot info) {
    return sum(info, 1);
  }

  private DoublePointData sum(DataPointSnapshot point, double value) {
    long start = starts.of(metric, point, value);
    return DoublePointData.create(start, time, attributes(point), value, List.of());
  }

  DoublePointData gauge(GaugeDataPointSnapshot gauge) {
    return value(gauge, gauge.getValue());
  }

  DoublePointData unknown(UnknownDataPointSnapshot unknown) {
    return value(unknown, unknown.getValue());
  }

  private DoublePointData value(DataPointSnapshot point, double value) {
    return DoublePointData.create(0, time, attributes(point), value, List.of());
  }

  /** The last bucket has no bound there. */
  HistogramPointData histogram(HistogramDataPointSnapshot histogram) {
    ClassicHistogramBuckets buckets = histogram.getClassicBuckets();
    List<Double> bounds = new ArrayList<>(buckets.size());
    List<Long> counts = new ArrayList<>(buckets.size());
    for (int i = 0; i < buckets.size(); i++) {
      counts.add(buckets.getCount(i));
      if (i < buckets.size() - 1) {
        bounds.add(buckets.getUpperBound(i));
      }
    }
    return new HistogramPoint(
        starts.of(metric, histogram, (double) histogram.getCount()),
        time,
        attributes(histogram),
        histogram.getSum(),
        histogram.getCount(),
        bounds,
        counts,
        exemplars(histogram.getExemplars()));
  }

  private static List<DoubleExemplarData> exemplars(Exemplars exemplars) {
    List<DoubleExemplarData> all = new ArrayList<>(exemplars.size());
    for (Exemplar exemplar : exemplars) {
      String trace = exemplar.getLabels().get(Exemplar.TRACE_ID);
      String span = exemplar.getLabels().get(Exemplar.SPAN_ID);
      if (trace != null && span != null) {
        all.add(
            DoubleExemplarData.create(
                Attributes.empty(),
                TimeUnit.MILLISECONDS.toNanos(exemplar.getTimestampMillis()),
                SpanContext.create(trace, span, TraceFlags.getSampled(), TraceState.getDefault()),
                exemplar.getValue()));
      }
    }
    return all;
  }

  SummaryPointData summary(SummaryDataPointSnapshot summary) {
    List<ValueAtQuantile> quantiles = new ArrayList<>();
    for (Quantile quantile : summary.getQuantiles()) {
      quantiles.add(ValueAtQuantile.create(quantile.getQuantile(), quantile.getValue()));
    }
    return SummaryPointData.create(
        starts.of(metric, summary, (double) summary.getCount()),
        time,
        attributes(summary),
        summary.getCount(),
        summary.getSum(),
        quantiles);
  }

  private static Attributes attributes(DataPointSnapshot point) {
    AttributesBuilder attributes = Attributes.builder();
    point.getLabels().forEach(label -> attributes.put(label.getName(), label.getValue()));
    return attributes.build();
  }
}
