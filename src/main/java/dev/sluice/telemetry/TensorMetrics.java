package dev.sluice.telemetry;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.tensor.TensorMemory;

/**
 * The native memory of tensors, as metrics: of the whole process.
 *
 * <p>Open blocks that grow without bound are a leak: this is the series to alert on.
 */
record TensorMetrics() implements MetricSource {
  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_tensor_blocks",
        MetricsPage.Kind.GAUGE,
        "Blocks of native memory that tensors hold.",
        TensorMemory.openBlocks());
    page.single(
        "sluice_tensor_bytes",
        MetricsPage.Kind.GAUGE,
        "Bytes in these blocks.",
        TensorMemory.openBytes());
  }
}
