package dev.sluice.boot;

import dev.sluice.tensor.TensorMemory;
import java.lang.management.GarbageCollectorMXBean;
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

  /** Collections between two looks of a server that does little. */
  private static final long FEW = 2;

  /** The part of the largest heap that it has to have grown by. */
  private static final int GROWN_PART = 8;

  private static final long SHORTEST_PAUSE_NANOS = Duration.ofMinutes(2).toNanos();

  private final Supplier<MemoryUsage> heap;
  private final LongSupplier collections;
  private final Runnable collect;
  private final LongSupplier nanoTime;
  private long atRest;
  private long collectionsBefore;
  private long earliest;

  /**
   * @param heap says how large it is
   * @param collections says how often it was collected
   * @param collect shrinks it
   */
  HeapTrimmer(
      Supplier<MemoryUsage> heap,
      LongSupplier collections,
      Runnable collect,
      LongSupplier nanoTime) {
    this.heap = heap;
    this.collections = collections;
    this.collect = collect;
    this.nanoTime = nanoTime;
    this.atRest = heap.get().getCommitted();
    this.collectionsBefore = collections.getAsLong();
    this.earliest = nanoTime.getAsLong();
  }

  /** Of this process. */
  static HeapTrimmer ofThisProcess() {
    return new HeapTrimmer(
        ManagementFactory.getMemoryMXBean()::getHeapMemoryUsage,
        HeapTrimmer::collections,
        System::gc,
        System::nanoTime);
  }

  private static long collections() {
    long sum = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      sum += Math.max(0, collector.getCollectionCount());
    }
    return sum;
  }

  /** Looks whether there is something to give back, and does so. Returns whether it did. */
  boolean look() {
    long collected = collections.getAsLong();
    boolean calm = collected - collectionsBefore <= FEW;
    collectionsBefore = collected;
    MemoryUsage now = heap.get();
    boolean grown = now.getCommitted() - atRest > now.getMax() / GROWN_PART;
    boolean due = calm && grown && nanoTime.getAsLong() - earliest >= 0;
    if (due) {
      giveBack(now.getCommitted());
    }
    return due;
  }

  private void giveBack(long before) {
    TensorMemory.freeKept();
    collect.run();
    atRest = heap.get().getCommitted();
    collectionsBefore = collections.getAsLong();
    earliest = nanoTime.getAsLong() + SHORTEST_PAUSE_NANOS;
    LOG.debug("the heap was shrunk from {} to {} bytes", before, atRest);
  }
}
