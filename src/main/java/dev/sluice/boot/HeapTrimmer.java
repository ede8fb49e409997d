package dev.sluice.boot;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.tensor.TensorMemory;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives memory back to the system when a burst of load is over: the Java heap has grown, and the
 * collector shrinks it only when it collects, for which a server at rest gives it no reason. One
 * full collection then does, for which requests wait some tens of milliseconds. For one thread at a
 * time.
 */
final class HeapTrimmer {
  /** From the end of a look to the next. */
  static final Duration INTERVAL = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(HeapTrimmer.class);

  /**
   * The part of the time between two looks for which a server at rest has a processor. A large heap
   * is seldom collected even under full load, so the number of collections does not tell.
   */
  private static final int BUSY_PART = 10;

  /** The part of the largest heap that it has to have grown by, */
  private static final int GROWN_PART = 8;

  /** or so many bytes where that is more: what a large machine has is no reason to keep it. */
  private static final long GROWN_BYTES = 64L << 20;

  private static final long SHORTEST_PAUSE_NANOS = Duration.ofMinutes(2).toNanos();

  private final Supplier<MemoryUsage> heap;
  private final LongSupplier processorTime;
  private final Runnable collect;
  private final LongSupplier nanoTime;
  private long atRest;
  private long processorTimeBefore;
  private long lookedAt;
  private long earliest;

  /**
   * @param heap says how large it is
   * @param processorTime says for how many nanoseconds the process has had processors
   * @param collect shrinks it
   */
  HeapTrimmer(
      Supplier<MemoryUsage> heap,
      LongSupplier processorTime,
      Runnable collect,
      LongSupplier nanoTime) {
    this.heap = heap;
    this.processorTime = processorTime;
    this.collect = collect;
    this.nanoTime = nanoTime;
    this.atRest = heap.get().getCommitted();
    this.processorTimeBefore = processorTime.getAsLong();
    this.lookedAt = nanoTime.getAsLong();
    this.earliest = nanoTime.getAsLong();
  }

  /** Of this process. */
  static HeapTrimmer ofThisProcess() {
    return new HeapTrimmer(
        ManagementFactory.getMemoryMXBean()::getHeapMemoryUsage,
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())::getProcessCpuTime,
        System::gc,
        System::nanoTime);
  }

  /** Looks whether there is something to give back, and does so. Returns whether it did. */
  boolean look() {
    boolean calm = isCalm();
    MemoryUsage now = heap.get();
    boolean grown = now.getCommitted() - atRest > Math.min(now.getMax() / GROWN_PART, GROWN_BYTES);
    boolean due = calm && grown && nanoTime.getAsLong() - earliest >= 0;
    if (due) {
      giveBack(now.getCommitted());
    }
    return due;
  }

  /** Returns whether the server has done little since this was asked last. */
  private boolean isCalm() {
    long used = processorTime.getAsLong();
    long now = nanoTime.getAsLong();
    boolean calm = used - processorTimeBefore <= (now - lookedAt) / BUSY_PART;
    processorTimeBefore = used;
    lookedAt = now;
    return calm;
  }

  private void giveBack(long before) {
    TensorMemory.freeKept();
    collect.run();
    atRest = heap.get().getCommitted();
    earliest = nanoTime.getAsLong() + SHORTEST_PAUSE_NANOS;
    LOG.debug("the heap was shrunk from {} to {} bytes", before, atRest);
  }
}
