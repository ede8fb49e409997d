package dev.sluice.telemetry;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.tensor.MemoryBudget;
import dev.sluice.tensor.TensorMemory;
import java.util.Locale;

/**
 * The memory budget of a server, as metrics.
 *
 * @param budget what is shown
 */
public record MemoryMetrics(MemoryBudget budget) implements MetricSource {
  @Override
  public void write(MetricsPage page) {
    page.single(
        "sluice_memory_limit_bytes",
        GAUGE,
        "Bytes that all requests may hold together.",
        budget.limit());
    var used = page.family("sluice_memory_used_bytes", GAUGE, "Bytes that requests hold.");
    for (MemoryBudget.Kind kind : MemoryBudget.Kind.values()) {
      used.add(budget.held(kind), "kind", kind.name().toLowerCase(Locale.ROOT));
    }
    used.add(TensorMemory.openBytes(), "kind", "tensor");
    page.single(
        "sluice_memory_refused_total",
        COUNTER,
        "How often a request was refused for want of memory.",
        budget.refusals());
  }
}
