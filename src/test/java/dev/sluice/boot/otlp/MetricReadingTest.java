package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SummaryPointData;
import io.opentelemetry.sdk.metrics.data.ValueAtQuantile;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot.StateSetDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Metrics of Prometheus' client as those of OpenTelemetry. */
class MetricReadingTest {
  private static final Instant NOW = Instant.parse("2100-01-01T00:00:00.000000001Z");
  private static final long NOW_NANOS = NOW.getEpochSecond() * 1_000_000_000L + 1;
  private static final Attributes MODEL = Attributes.of(AttributeKey.stringKey("model"), "m");

  private static Collection<MetricData> read(MetricSnapshot... families) {
    var reading =
        new MetricReading(
            () -> new MetricSnapshots(List.of(families)), Resource.getDefault(), () -> NOW);
    return reading.collectAllMetrics();
  }

  private static MetricData readOne(MetricSnapshot family) {
    Collection<MetricData> read = read(family);
    assertThat(read).hasSize(1);
    return read.iterator().next();
  }

  private static Labels model() {
    return Labels.of("model", "m");
  }

  @Test
  void counterIsACumulativeSumOfTheSameName() {
    MetricData metric =
        readOne(
            CounterSnapshot.builder()
                .name("calls")
                .help("Calls.")
                .dataPoint(
                    CounterSnapshot.CounterDataPointSnapshot.builder()
                        .labels(model())
                        .value(3)
                        .build())
                .build());

    assertThat(metric.getName()).isEqualTo("calls_total");
    assertThat(metric.getDescription()).isEqualTo("Calls.");
    assertThat(metric.getDoubleSumData().isMonotonic()).isTrue();
    assertThat(metric.getDoubleSumData().getAggregationTemporality())
        .isEqualTo(AggregationTemporality.CUMULATIVE);
    DoublePointData point = metric.getDoubleSumData().getPoints().iterator().next();
    assertThat(point.getValue()).isEqualTo(3);
    assertThat(point.getAttributes()).isEqualTo(MODEL);
    assertThat(point.getEpochNanos()).isEqualTo(NOW_NANOS);
    assertThat(point.getStartEpochNanos()).isPositive().isLessThan(NOW_NANOS);
  }

  @Test
  void gaugesAndWhatHasNoTypeAreGauges() {
    var gauge =
        GaugeSnapshot.builder()
            .name("open")
            .dataPoint(
                GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(model()).value(-2.5).build())
            .build();
    var unknown =
        UnknownSnapshot.builder()
            .name("some")
            .dataPoint(UnknownSnapshot.UnknownDataPointSnapshot.builder().value(7).build())
            .build();

    assertThat(read(gauge, unknown))
        .extracting(
            MetricData::getName,
            MetricData::getType,
            metric -> metric.getDoubleGaugeData().getPoints().iterator().next().getValue())
        .containsExactly(
            tuple("open", MetricDataType.DOUBLE_GAUGE, -2.5),
            tuple("some", MetricDataType.DOUBLE_GAUGE, 7.0));
  }

  @Test
  void histogramHasItsBucketsAndTheSpansOfSampledRequests() {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    String span = "b7ad6b7169203331";
    var exemplar =
        Exemplar.builder().traceId(trace).spanId(span).value(0.02).timestampMillis(5).build();
    double[] bounds = {0.01, 0.1, Double.POSITIVE_INFINITY};
    MetricData metric =
        readOne(
            HistogramSnapshot.builder()
                .name("wait_seconds")
                .dataPoint(
                    HistogramDataPointSnapshot.builder()
                        .labels(model())
                        .classicHistogramBuckets(
                            ClassicHistogramBuckets.of(bounds, new Number[] {1, 2, 4}))
                        .sum(1.5)
                        .exemplars(Exemplars.of(exemplar))
                        .build())
                .build());

    assertThat(metric.getUnit()).isEqualTo("s");
    HistogramPointData point = metric.getHistogramData().getPoints().iterator().next();
    assertThat(point.getBoundaries()).containsExactly(0.01, 0.1);
    assertThat(point.getCounts()).containsExactly(1L, 2L, 4L);
    assertThat(point.getCount()).isEqualTo(7);
    assertThat(point.getSum()).isEqualTo(1.5);
    assertThat(point.getAttributes()).isEqualTo(MODEL);
    assertThat(point.getExemplars())
        .extracting(
            each -> each.getSpanContext().getTraceId(),
            each -> each.getSpanContext().getSpanId(),
            each -> each.getValue(),
            each -> each.getEpochNanos())
        .containsExactly(tuple(trace, span, 0.02, 5_000_000L));
  }

  @Test
  void summaryKeepsItsQuantiles() {
    MetricData metric =
        readOne(
            SummarySnapshot.builder()
                .name("pause_bytes")
                .dataPoint(
                    SummarySnapshot.SummaryDataPointSnapshot.builder()
                        .count(4)
                        .sum(8)
                        .quantiles(
                            io.prometheus.metrics.model.snapshots.Quantiles.of(
                                new io.prometheus.metrics.model.snapshots.Quantile(0.5, 2)))
                        .build())
                .build());

    assertThat(metric.getUnit()).isEqualTo("By");
    SummaryPointData point = metric.getSummaryData().getPoints().iterator().next();
    assertThat(point.getCount()).isEqualTo(4);
    assertThat(point.getSum()).isEqualTo(8);
    assertThat(point.getValues()).containsExactly(ValueAtQuantile.create(0.5, 2));
  }

  @Test
  void infoIsASumThatIsAlwaysOne() {
    MetricData metric =
        readOne(
            InfoSnapshot.builder()
                .name("build")
                .dataPoint(InfoDataPointSnapshot.builder().labels(model()).build())
                .build());

    assertThat(metric.getName()).isEqualTo("build_info");
    assertThat(metric.getDoubleSumData().isMonotonic()).isFalse();
    DoublePointData point = metric.getDoubleSumData().getPoints().iterator().next();
    assertThat(point.getValue()).isEqualTo(1);
    assertThat(point.getAttributes()).isEqualTo(MODEL);
  }

  @Test
  void whatHasNoSeriesOrNoFormIsLeftOut() {
    var empty = GaugeSnapshot.builder().name("none").build();
    var states =
        StateSetSnapshot.builder()
            .name("states")
            .dataPoint(StateSetDataPointSnapshot.builder().state("on", true).build())
            .build();

    assertThat(read(empty, states)).isEmpty();
  }
}
