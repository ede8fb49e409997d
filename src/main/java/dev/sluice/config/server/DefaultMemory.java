package dev.sluice.config.server;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The memory budget where none is set: three eighths of the largest heap, since all of it may lie
 * there and the collector needs room besides, and no more than a quarter of the container's memory,
 * or of the machine's where there is no limit, since models need the rest.
 */
final class DefaultMemory {
  private static final int HEAP_EIGHTHS = 3;
  private static final int MACHINE_PART = 4;
  private static final int CONNECTIONS_PART = 4;

  /** Less would refuse what usual models are asked. */
  private static final long LEAST = 16L * 1024 * 1024;

  private static final int RUN_QUARTERS = 3;

  /** What the JVM (95 MiB) and a runtime with its library (60 MiB) take besides, as measured. */
  private static final long PROCESS = 160L * 1024 * 1024;

  private DefaultMemory() {}

  /** Returns the budget of this process. The Java VM knows the limits of its control group. */
  static long ofThisProcess() {
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return of(Runtime.getRuntime().maxMemory(), machine.getTotalMemorySize());
  }

  /**
   * @param heap bytes that the heap may have
   * @param machine bytes of the container or the machine
   */
  static long of(long heap, long machine) {
    return Math.max(LEAST, Math.min(heap / 8 * HEAP_EIGHTHS, machine / MACHINE_PART));
  }

  /** Returns the number of bytes that open connections and streams may take on the heap. */
  static long ofConnections() {
    return Runtime.getRuntime().maxMemory() / CONNECTIONS_PART;
  }

  /**
   * Returns the number of bytes that runs of models may take in this process: three quarters of
   * what the heap, half of the network buffers, tensors of requests and the process itself leave;
   * weights have the rest.
   */
  static long ofRuns() {
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long heap = Runtime.getRuntime().maxMemory();
    return ofRuns(heap, buffers(heap), machine.getTotalMemorySize());
  }

  /**
   * @param heap bytes that the heap may have
   * @param buffers bytes that network buffers may have
   * @param machine bytes of the container or the machine
   */
  static long ofRuns(long heap, long buffers, long machine) {
    long models = machine - heap - buffers / 2 - of(heap, machine) - PROCESS;
    return Math.max(machine / (2 * MACHINE_PART), models / 4 * RUN_QUARTERS);
  }

  private static long buffers(long heap) {
    var options = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    return set == 0 ? heap : set;
  }
}
