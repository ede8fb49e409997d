package dev.sluice.ops;

import static dev.sluice.telemetry.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.MetricsPage.Kind.GAUGE;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.sluice.telemetry.MetricSource;
import dev.sluice.telemetry.MetricsPage;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process and its Java VM, as metrics, by the names that all exporters use.
 *
 * <p>Reads {@code /proc} where there is one; a value that a system does not have is left out, not
 * zero. Called on a worker.
 */
public final class ProcessMetrics implements MetricSource {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Pattern SIZE = Pattern.compile("(?m)^(Vm\\w+):\\s+(\\d+) kB");
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final double KIB = 1024;

  @Override
  public void write(MetricsPage page) {
    process(page);
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      system(page, system);
    }
    memory(page);
    collections(page);
    page.single(
        "jvm_threads_current",
        GAUGE,
        "Threads.",
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  private static void process(MetricsPage page) {
    page.single(
        "process_start_time_seconds",
        GAUGE,
        "When it started, in seconds since 1970.",
        ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS);
    String status = status();
    resident(status)
        .ifPresent(
            size -> page.single("process_resident_memory_bytes", GAUGE, "Resident memory.", size));
    size(status, "VmSize")
        .ifPresent(
            size -> page.single("process_virtual_memory_bytes", GAUGE, "Virtual memory.", size));
  }

  /**
   * Returns the number of bytes of memory that the process holds; empty where the system does not
   * report it.
   */
  static Optional<Double> resident() {
    return resident(status());
  }

  private static Optional<Double> resident(String status) {
    return size(status, "VmRSS");
  }

  /** Empty where there is no such file. */
  private static String status() {
    try {
      return Files.readString(STATUS);
    } catch (IOException e) {
      return "";
    }
  }

  private static Optional<Double> size(String status, String key) {
    Matcher sizes = SIZE.matcher(status);
    while (sizes.find()) {
      if (sizes.group(1).equals(key)) {
        return Optional.of(Long.parseLong(sizes.group(2)) * KIB);
      }
    }
    return Optional.empty();
  }

  private static void system(MetricsPage page, UnixOperatingSystemMXBean system) {
    page.single(
        "process_cpu_seconds_total",
        COUNTER,
        "Processor time.",
        system.getProcessCpuTime() / NANOS);
    page.single(
        "process_open_fds", GAUGE, "Open file descriptors.", system.getOpenFileDescriptorCount());
    page.single(
        "process_max_fds", GAUGE, "Most file descriptors.", system.getMaxFileDescriptorCount());
  }

  private static void memory(MetricsPage page) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    MemoryUsage other = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
    page.family("jvm_memory_used_bytes", GAUGE, "Memory of the Java VM in use.")
        .add(heap.getUsed(), "area", "heap")
        .add(other.getUsed(), "area", "nonheap");
    page.family("jvm_memory_committed_bytes", GAUGE, "Memory that the Java VM has reserved.")
        .add(heap.getCommitted(), "area", "heap")
        .add(other.getCommitted(), "area", "nonheap");
    page.single("jvm_memory_max_bytes", GAUGE, "Most memory of the heap.", heap.getMax());
    var buffers = page.family("jvm_buffer_pool_used_bytes", GAUGE, "Buffers outside of the heap.");
    for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      buffers.add(pool.getMemoryUsed(), "pool", pool.getName());
    }
  }

  private static void collections(MetricsPage page) {
    var seconds = page.family("jvm_gc_seconds_total", COUNTER, "Time of garbage collections.");
    for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
      seconds.add(gc.getCollectionTime() / MILLIS, "gc", gc.getName());
    }
    var counts = page.family("jvm_gc_collections_total", COUNTER, "Garbage collections.");
    for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
      counts.add(gc.getCollectionCount(), "gc", gc.getName());
    }
  }
}
