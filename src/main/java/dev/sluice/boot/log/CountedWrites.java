package dev.sluice.boot.log;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Counts the records of a log that are written and those that cannot be, and reports when failing
 * begins and when it ends, each once. One thread writes; any thread reads the counts.
 */
public final class CountedWrites {
  /** Writes something, all of it or nothing. */
  public interface Attempt {
    /** Writes it. */
    void run() throws IOException;
  }

  private final String name;
  private final Logger log;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private boolean failing;
  private long lost;

  /**
   * @param name of the log in messages
   */
  public CountedWrites(String name, Logger log) {
    this.name = name;
    this.log = log;
  }

  /** Tries to write so many records. */
  public void attempt(int records, Attempt attempt) {
    try {
      attempt.run();
      written.addAndGet(records);
      if (failing) {
        failing = false;
        log.info("{} is written again; {} records were lost", name, lost);
      }
    } catch (IOException | RuntimeException e) {
      failed.addAndGet(records);
      lost = failing ? lost + records : records;
      if (!failing) {
        failing = true;
        log.warn("{} cannot be written, and records are lost until it can: {}", name, e.toString());
      }
    }
  }

  /** Returns how many records were written. */
  public long written() {
    return written.get();
  }

  /** Returns how many records could not be written. */
  public long failed() {
    return failed.get();
  }
}
