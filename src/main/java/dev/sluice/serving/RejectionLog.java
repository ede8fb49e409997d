package dev.sluice.serving;

import dev.sluice.inference.ModelId;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that requests to a model are refused: one line a second at most, however many there are. Any
 * thread.
 */
final class RejectionLog {
  private static final Logger LOG = LoggerFactory.getLogger(RejectionLog.class);
  private static final long INTERVAL_NANOS = 1_000_000_000;

  private final LongSupplier nanoTime;
  private final AtomicLong unlogged = new AtomicLong();
  private final AtomicLong nextLine;

  RejectionLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.nextLine = new AtomicLong(nanoTime.getAsLong());
  }

  void add(ModelId model, String why) {
    unlogged.incrementAndGet();
    long due = nextLine.get();
    long now = nanoTime.getAsLong();
    if (now - due >= 0 && nextLine.compareAndSet(due, now + INTERVAL_NANOS)) {
      LOG.atWarn()
          .addKeyValue("model", model)
          .addKeyValue("refused", unlogged.getAndSet(0))
          .log(why);
    }
  }
}
