package dev.sluice.ops;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import java.lang.management.ManagementFactory;

/** The machine, as metrics, by the names that Triton has for it. Called on a worker. */
public final class MachineMetrics implements MetricSource {
  @Override
  public MetricNames names() {
    return MetricNames.TRITON;
  }

  @Override
  public void write(MetricsPage page) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      double busy = Math.max(0, system.getCpuLoad());
      page.single("nv_cpu_utilization", GAUGE, "How busy the machine is, from 0 to 1.", busy);
      long total = system.getTotalMemorySize();
      long used = total - system.getFreeMemorySize();
      page.single("nv_cpu_memory_total_bytes", GAUGE, "The machine's memory.", total);
      page.single("nv_cpu_memory_used_bytes", GAUGE, "The machine's memory in use.", used);
    }
  }
}
