package dev.sluice.boot.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.DoubleExemplarData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import java.util.List;

/**
 * A histogram's series with its exemplars, which the SDK's own has no public way to be given.
 * Components have the names of the SDK's getters, which they are.
 */
record HistogramPoint(
    long getStartEpochNanos,
    long getEpochNanos,
    Attributes getAttributes,
    double getSum,
    long getCount,
    List<Double> getBoundaries,
    List<Long> getCounts,
    List<DoubleExemplarData> getExemplars)
    implements HistogramPointData {
  @Override
  public boolean hasMin() {
    return false;
  }

  @Override
  public double getMin() {
    return 0;
  }

  @Override
  public boolean hasMax() {
    return false;
  }

  @Override
  public double getMax() {
    return 0;
  }
}
