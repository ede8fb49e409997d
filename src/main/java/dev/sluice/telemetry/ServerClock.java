package dev.sluice.telemetry;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * The clock of a server's requests, as one object. What reads it is compiled for the class that it
 * has met: a method reference of each server's own would have what the warm-up had compiled thrown
 * away by the first requests of clients.
 */
public final class ServerClock {
  /** {@link System#nanoTime}. */
  public static final LongSupplier NANO_TIME = System::nanoTime;

  /** Time that the process has computed so far, of all processors together. */
  static final LongSupplier PROCESSOR_NANOS = ServerClock::processorNanos;

  private ServerClock() {}

  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }
}
