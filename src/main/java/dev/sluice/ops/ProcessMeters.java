package dev.sluice.ops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.telemetry.Telemetry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import org.jspecify.annotations.Nullable;

/**
 * The process by the names that all Prometheus clients have, and its Java VM and the machine's
 * processors by Micrometer's. Any thread. Owner: the server, which closes it.
 */
public final class ProcessMeters implements AutoCloseable {
  /** The same as process_cpu_seconds_total. */
  private static final String PROCESSOR_TIME = "process.cpu.time";

  @GuardedBy("this")
  private @Nullable JvmGcMetrics collections;

  @GuardedBy("this")
  private boolean closed;

  /** Has them shown on the page of metrics. */
  public ProcessMeters(Telemetry telemetry) {
    telemetry.bind(this::bind);
  }

  /** Pauses for garbage collections are counted from the first scrape on. */
  private synchronized void bind(PrometheusMeterRegistry registry) {
    if (closed) {
      return;
    }
    ProcessMetrics.builder().register(registry.getPrometheusRegistry());
    registry.config().meterFilter(MeterFilter.denyNameStartsWith(PROCESSOR_TIME));
    new ProcessorMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    collections = new JvmGcMetrics();
    collections.bindTo(registry);
  }

  /** Stops listening for garbage collections. */
  @Override
  public synchronized void close() {
    closed = true;
    if (collections != null) {
      collections.close();
    }
  }
}
