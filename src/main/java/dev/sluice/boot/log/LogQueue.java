package dev.sluice.boot.log;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * Bounded queue between event loops and the thread that writes a log. What does not fit is dropped,
 * counted, and reported once a minute at most.
 *
 * <p>Threads: {@link #offer} is for any thread, takes no lock and never waits. It wakes the writer
 * only if that rests; the writer then gathers records for a moment, so that busy event loops wake
 * it a hundred times a second and not once for each call.
 *
 * @param <T> a record of the log
 */
public final class LogQueue<T> implements AutoCloseable {
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long LAST_RECORDS_MILLIS = 2_000;
  private static final String SLOW = "its writer does not keep up with the calls";

  /**
   * What may wait.
   *
   * @param records their number
   * @param bytes as {@link #offer} is given them
   */
  public record Bounds(int records, long bytes) {}

  /** Writes records. Of the writer's thread. */
  public interface Sink<T> {
    /** Writes a record, or keeps it until {@link #flush}. */
    void write(T entry);

    /** Writes what is kept, as no further record waits. */
    void flush();

    /** Closes files, behind the last record. */
    void close() throws IOException;
  }

  private record Waiting<T>(T entry, long bytes) {}

  private final Queue<Waiting<T>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger records = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicBoolean resting = new AtomicBoolean();
  private final Bounds bounds;
  private final String name;
  private final Logger log;
  private final Sink<T> sink;
  private final Thread writer;
  private volatile boolean closing;

  // Of the writer's thread.
  private String why = SLOW;
  private long reportedDrops;
  private long reportedAt;

  /**
   * Begins to write.
   *
   * @param name of the log in messages
   * @param log where it is reported what is lost
   */
  public LogQueue(Bounds bounds, String name, Logger log, Sink<T> sink) {
    this.bounds = bounds;
    this.name = name;
    this.log = log;
    this.sink = sink;
    this.writer =
        Thread.ofPlatform().daemon().name("sluice-" + name.replace(' ', '-')).start(this::run);
  }

  /** Hands a record over, or drops it. */
  public void offer(T entry, long size) {
    int count = records.incrementAndGet();
    long held = bytes.addAndGet(size);
    if (count > bounds.records || held > bounds.bytes || closing) {
      release(size);
      dropped.incrementAndGet();
      return;
    }
    waiting.add(new Waiting<>(entry, size));
    if (resting.get() && resting.compareAndSet(true, false)) {
      LockSupport.unpark(writer);
    }
  }

  private void release(long size) {
    records.decrementAndGet();
    bytes.addAndGet(-size);
  }

  /** Returns how many records did not fit. Any thread. */
  public long dropped() {
    return dropped.get();
  }

  private void run() {
    try {
      while (!closing || !waiting.isEmpty()) {
        writeWaiting();
        reportDrops();
        rest();
      }
      sink.close();
    } catch (IOException e) {
      log.warn("{} could not be closed: {}", name, e.toString());
    }
  }

  private void writeWaiting() {
    for (Waiting<T> next = waiting.poll(); next != null; next = waiting.poll()) {
      try {
        sink.write(next.entry);
      } catch (RuntimeException e) {
        // One record that cannot be written must not be the last.
        dropped.incrementAndGet();
        why = e.toString();
      } finally {
        release(next.bytes);
      }
    }
    sink.flush();
  }

  private void rest() {
    resting.set(true);
    if (waiting.isEmpty() && !closing) {
      LockSupport.parkNanos(REST_NANOS);
    }
    resting.set(false);
    if (!closing) {
      LockSupport.parkNanos(GATHER_NANOS);
    }
  }

  private void reportDrops() {
    long now = System.nanoTime();
    long more = dropped.get() - reportedDrops;
    if (more > 0 && (reportedDrops == 0 || now - reportedAt >= REPORT_NANOS)) {
      reportedDrops += more;
      reportedAt = now;
      log.warn("{} lost {} records: {}", name, more, why);
      why = SLOW;
    }
  }

  /** Writes what still waits, for two seconds at most. Blocks. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(writer);
    try {
      writer.join(LAST_RECORDS_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
