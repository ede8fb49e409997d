package dev.sluice.telemetry.load;

import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reports how busy the server is to those who ask. Rates are those of the last one to two seconds;
 * a report serves for 100 ms. Requests that come, once a second, have it look at what was counted,
 * so that rates begin lately however long ago the last report was, and no timer wakes an idle
 * server.
 *
 * <p>Any thread, event loops among them: measuring takes a look at each loaded version.
 */
public final class LoadReporter {
  private static final long FRESH_NANOS = 100_000_000L;
  private static final long WINDOW_NANOS = 1_000_000_000L;

  private final LoadReporting setting;
  private final Supplier<Collection<VersionMeter>> versions;
  private final LongSupplier nanoTime;
  private final LongSupplier processorNanos;
  private final AtomicBoolean measuring = new AtomicBoolean();
  private volatile DoubleSupplier memory = () -> 0;
  private volatile IntSupplier streams = () -> 0;
  private volatile Measured latest;

  /** When it looked last at what was counted. */
  private volatile long looked;

  // Of the thread that measures.
  private LoadTotals before;
  private LoadTotals next;

  private record Measured(long nanos, LoadReport report) {}

  /**
   * @param setting the answers that carry a report
   * @param versions the loaded versions
   * @param processorNanos time that the process computed so far
   */
  public LoadReporter(
      LoadReporting setting,
      Supplier<Collection<VersionMeter>> versions,
      LongSupplier nanoTime,
      LongSupplier processorNanos) {
    this.setting = setting;
    this.versions = versions;
    this.nanoTime = nanoTime;
    this.processorNanos = processorNanos;
    long now = nanoTime.getAsLong();
    this.before = LoadTotals.of(versions.get(), now, processorNanos.getAsLong());
    this.next = before;
    this.looked = now;
    this.latest = new Measured(now - FRESH_NANOS, new LoadReport(0, 0, 0, 0, 0, 0, 0));
  }

  /** Returns which answers carry a report. */
  public LoadReporting setting() {
    return setting;
  }

  /** Says how it learns which share of the memory budget is held. For any thread. */
  public void memory(DoubleSupplier share) {
    memory = share;
  }

  /** Says how it learns how many streams are open. For any thread. */
  public void streams(IntSupplier open) {
    streams = open;
  }

  /** Returns the number of requests that wait for a model. */
  public long waiting() {
    return versions.get().stream().mapToLong(VersionMeter::waiting).sum();
  }

  /** Returns the number of requests and streams that are under way and do not wait. */
  public long running() {
    return streams.getAsInt() + versions.get().stream().mapToLong(LoadReporter::running).sum();
  }

  /** Members of ensembles have requests in their queues that were not admitted to them. */
  private static long running(VersionMeter version) {
    return Math.max(0, version.inFlight() - version.waiting());
  }

  /** Returns the share of the memory budget that requests and tensors hold, from 0 to 1. */
  public double memory() {
    return Math.clamp(memory.getAsDouble(), 0, 1);
  }

  /**
   * Records that a request comes, before it is counted anywhere.
   *
   * @param when by the clock of this
   */
  public void arrived(long when) {
    if (when - looked >= WINDOW_NANOS
        && setting != LoadReporting.OFF
        && measuring.compareAndSet(false, true)) {
      try {
        long now = nanoTime.getAsLong();
        // Behind a pause nothing came for a second at least.
        long since = isPause(now) ? now - WINDOW_NANOS : now;
        begin(LoadTotals.of(versions.get(), since, processorNanos.getAsLong()), now);
      } finally {
        measuring.set(false);
      }
    }
  }

  /** Returns whether the last look is so long ago that it says nothing of the last seconds. */
  private boolean isPause(long now) {
    return isOld(next, now);
  }

  private static boolean isOld(LoadTotals totals, long now) {
    return now - totals.nanos() >= 3 * WINDOW_NANOS;
  }

  private void begin(LoadTotals totals, long now) {
    before = isPause(now) ? totals : next;
    next = totals;
    looked = now;
  }

  /** Returns how busy the server is now. */
  public LoadReport report() {
    long now = nanoTime.getAsLong();
    if (now - latest.nanos >= FRESH_NANOS && measuring.compareAndSet(false, true)) {
      try {
        latest = new Measured(now, measure(now));
      } finally {
        measuring.set(false);
      }
    }
    return latest.report;
  }

  private LoadReport measure(long now) {
    Collection<VersionMeter> loaded = versions.get();
    LoadTotals totals = LoadTotals.of(loaded, now, processorNanos.getAsLong());
    LoadTotals recent = isOld(before, now) ? next : before;
    LoadReport report = report(loaded, totals, isPause(now) ? totals : recent);
    if (now - next.nanos() >= WINDOW_NANOS) {
      begin(totals, now);
    }
    return report;
  }

  private LoadReport report(Collection<VersionMeter> loaded, LoadTotals totals, LoadTotals since) {
    double failures = totals.perSecond(totals.failed() - since.failed(), since);
    return new LoadReport(
        totals.processors(since) / Runtime.getRuntime().availableProcessors(),
        memory(),
        loaded.stream().mapToDouble(version -> perWorker(version, totals, since)).max().orElse(0),
        totals.perSecond(totals.answered() - since.answered(), since) + failures,
        failures,
        waiting(),
        running());
  }

  /** Requests that have waited for long count before they are answered. */
  private static double perWorker(VersionMeter version, LoadTotals totals, LoadTotals since) {
    return Math.max(totals.inside(version, since), version.waiting())
        / Math.max(1, version.workers());
  }
}
