package dev.sluice.boot.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MetricExportTest {
  /** Keeps how many series each message had. */
  private static final class CountingExporter implements MetricExporter {
    private final List<Integer> messages = new CopyOnWriteArrayList<>();

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
      messages.add(metrics.stream().mapToInt(each -> each.getData().getPoints().size()).sum());
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
      return AggregationTemporality.CUMULATIVE;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  private static MetricSnapshots gauges(int series) {
    List<GaugeDataPointSnapshot> points =
        IntStream.range(0, series)
            .mapToObj(
                i -> new GaugeDataPointSnapshot(i, Labels.of("model", Integer.toString(i)), null))
            .toList();
    return MetricSnapshots.of(new GaugeSnapshot(new MetricMetadata("m"), points));
  }

  @Test
  void messagesHaveABoundedNumberOfSeries() {
    var exporter = new CountingExporter();
    var reading =
        new MetricReading(() -> gauges(4_500), Resource.getDefault(), InstantSource.system());
    var export =
        new MetricExport(
            exporter, URI.create("http://localhost:4318"), Duration.ofHours(1), reading);

    assertThat(export.shutdown().join(20, TimeUnit.SECONDS).isSuccess()).isTrue();
    assertThat(exporter.messages).containsExactly(2_000, 2_000, 500);
  }
}
