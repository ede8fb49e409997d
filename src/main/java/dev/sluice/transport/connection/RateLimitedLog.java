package dev.sluice.transport.connection;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * Log lines of what any number of clients can cause any number of times: of each kind the first few
 * of a second are written, the others become one line that says how many there were. Any thread.
 */
public final class RateLimitedLog {
  /** Lines of a kind that are written in one second. */
  static final int WRITTEN = 3;

  /** Whether the server itself is the client that does all this. */
  private static volatile boolean muted;

  /** Kinds are few and made here, never of what a client sends. */
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  private final Logger log;
  private final int written;
  private final Duration period;
  private final Delay delay;

  /** Runs something later. */
  interface Delay {
    /** Runs a task once, after a period. */
    void after(Duration period, Runnable task);
  }

  /** Writes to a log. */
  public RateLimitedLog(Logger log) {
    this(log, RateLimitedLog::later);
  }

  RateLimitedLog(Logger log, Delay delay) {
    this(log, WRITTEN, Duration.ofSeconds(1), delay);
  }

  private RateLimitedLog(Logger log, int written, Duration period, Delay delay) {
    this.log = log;
    this.written = written;
    this.period = period;
    this.delay = delay;
  }

  /** Writes the first line of a kind in each period, and at its end how many more there were. */
  public static RateLimitedLog ofFirst(Logger log, Duration period) {
    return new RateLimitedLog(log, 1, period, RateLimitedLog::later);
  }

  private static void later(Duration period, Runnable task) {
    CompletableFuture.delayedExecutor(period.toNanos(), TimeUnit.NANOSECONDS).execute(task);
  }

  /**
   * Drops all lines but errors, of every such log, while the server sends itself what clients get
   * wrong.
   */
  public static void mute(boolean on) {
    muted = on;
  }

  /**
   * Returns a line to be completed and written, or one that goes nowhere.
   *
   * @param kind of a small set
   */
  public LoggingEventBuilder at(Level level, String kind) {
    if ((muted && level != Level.ERROR) || !log.isEnabledForLevel(level)) {
      return NOPLoggingEventBuilder.singleton();
    }
    return kinds.computeIfAbsent(kind, name -> new Kind(name, level)).next();
  }

  /** The suppressed events of one kind in the current second. */
  private final class Kind {
    private final String name;
    private final Level level;
    private final AtomicInteger seen = new AtomicInteger();

    Kind(String name, Level level) {
      this.name = name;
      this.level = level;
    }

    LoggingEventBuilder next() {
      int before = seen.getAndIncrement();
      if (before == 0) {
        delay.after(period, this::end);
      }
      return before < written ? log.atLevel(level) : NOPLoggingEventBuilder.singleton();
    }

    private static String text(Duration period) {
      return period.toSeconds() == 1 ? "second" : period.toSeconds() + " s";
    }

    private void end() {
      int more = seen.getAndSet(0) - written;
      if (more > 0) {
        log.atLevel(level)
            .addKeyValue("kind", name)
            .log("... {} more in the last {}", more, text(period));
      }
    }
  }
}
