package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.util.Collection;

/**
 * Has messages counted that are sent. Any thread.
 *
 * @param next sends them
 */
record WatchedMetrics(MetricExporter next, CollectorWatch watch) implements MetricExporter {
  @Override
  public CompletableResultCode export(Collection<MetricData> metrics) {
    return watch.watch(1, next.export(metrics));
  }

  @Override
  public AggregationTemporality getAggregationTemporality(InstrumentType instrument) {
    return next.getAggregationTemporality(instrument);
  }

  @Override
  public CompletableResultCode flush() {
    return next.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }
}
