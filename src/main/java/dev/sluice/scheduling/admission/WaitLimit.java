package dev.sluice.scheduling.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/*
 * How the limit is found
 *
 * Who is inside waits as long as it takes those before him to leave, which is their number divided by
 * the rate at which requests leave. So a limit on the waiting time is a limit on their number: rate x
 * time. The rate is measured in windows, and means something only if the model was never idle.
 *
 * Cheap.    Refusing costs about as much as running a tiny model. The more a model does in a second,
 *           the longer the queue may be: clients who wait for it cost less than clients who come back.
 * Starved.  The rate goes up at once and comes down slowly. Else refusals that take the processor from
 *           the model would make it look slower, and a slower model would refuse more.
 * Standing. If somebody was waiting throughout a window, the model was never idle, and the queue is
 *           no burst that passes. If it was half full besides, or limited already, the limit becomes
 *           rate x time, but never less than a few runs of the model, since even a slow one needs a
 *           next request when it is done with one.
 * Steady.   Clients who wait for one answer before they ask again make a queue that stands and does
 *           not grow. Refusing them helps nobody, so a queue that is never half full limits nothing.
 * Trying.   Clients who are refused and come back at once look like an overload that never ends, even
 *           if there would be room for all of them. So the limit is lifted for a window now and then,
 *           to half the queue, and stays up if that is enough. A trial is over once that is full:
 *           few have to wait for it, less than one in a hundred. After each trial in vain it takes
 *           longer until the next.
 * Passing.  If nobody was waiting for a moment, whatever came is dealt with. The limit doubles, up to
 *           none: it comes down at once and goes up in steps, since a pause in a flood does not end it.
 *
 * Only counts are kept, no times of single requests: neither the fastest request ever seen nor an
 * average that follows the overload decides anything.
 */

/** As many as leave within the time that requests should wait at most. Any thread; no locks. */
public final class WaitLimit implements Limit {
  /** Long enough to tell a burst from an overload. */
  private static final long WINDOW_NANOS = 100_000_000;

  /** When the limit is first tried to be lifted; each further trial takes twice as long to come, */
  private static final long FIRST_TRIAL_NANOS = 40 * WINDOW_NANOS;

  /** but no longer than this. */
  private static final long LAST_TRIAL_NANOS = 8 * FIRST_TRIAL_NANOS;

  /** A longer window than this means that hardly anybody came. */
  private static final long QUIET_NANOS = 20 * WINDOW_NANOS;

  /** So many runs' worth of requests are always let in, */
  private static final int LEAST_RUNS = 8;

  /** and so many requests. */
  private static final int LEAST = 16;

  /** Windows are so many runs long at least, or counting them says little. */
  private static final int WINDOW_RUNS = 4;

  /** The clock is looked at once for so many, which is also the least to learn from. */
  private static final int LEAST_COUNTED = 8;

  private static final double NANOS = 1e9;

  /** Requests in a second above which refusing one saves less and less: about 100 us each. */
  private static final double CHEAP_RATE = 10_000;

  /** How much of a lower rate is believed after each window. */
  private static final double DOUBT = 0.1;

  private final int perRun;
  private final double targetSeconds;
  private final int most;
  private final LongSupplier nanoTime;
  private final AtomicLong windowStart;
  private final AtomicInteger counted = new AtomicInteger();
  private volatile int fewest = Integer.MAX_VALUE;
  private volatile int highest;
  private volatile int limit;

  private volatile boolean trying;

  // Touched only by who ends a window.
  private long trialPause = FIRST_TRIAL_NANOS;
  private long nextTrial;

  /** Requests in a second; 0 before it was measured. */
  private volatile double rate;

  /**
   * @param perRun how many requests the model runs at once: instances times batch size
   * @param target how long requests should wait at most under overload
   * @param most where the limit ends that is no limit any more: what queue and model hold
   */
  public WaitLimit(int perRun, Duration target, int most, LongSupplier nanoTime) {
    this.perRun = perRun;
    this.targetSeconds = target.toNanos() / NANOS;
    this.most = most;
    this.nanoTime = nanoTime;
    this.limit = most;
    this.windowStart = new AtomicLong(nanoTime.getAsLong());
  }

  @Override
  public int get() {
    return limit;
  }

  @Override
  public Duration timeToDrain() {
    return rate == 0 ? Duration.ofSeconds(1) : Duration.ofNanos((long) (limit / rate * NANOS));
  }

  @Override
  public void left(int inside) {
    if (inside < fewest) {
      // A race may lose a low mark to one hardly higher.
      fewest = inside;
    }
    if (inside > highest) {
      highest = inside;
    }
    int count = counted.incrementAndGet();
    if (count % LEAST_COUNTED != 0) {
      return;
    }
    long start = windowStart.get();
    long now = nanoTime.getAsLong();
    boolean over = now - start >= WINDOW_NANOS && count >= WINDOW_RUNS * (long) perRun;
    if ((over || isTriedInVain()) && windowStart.compareAndSet(start, now)) {
      learn(counted.getAndSet(0), now - start, now);
      fewest = Integer.MAX_VALUE;
      highest = 0;
    }
  }

  private boolean isTriedInVain() {
    return trying && highest + 1 >= limit;
  }

  private double cheapness() {
    return Math.max(1, rate / CHEAP_RATE);
  }

  private void learn(int count, long nanos, long now) {
    boolean limited = limit < most;
    if (fewest <= perRun) {
      limit = nanos > QUIET_NANOS ? most : (int) Math.min(most, limit * 2L);
    } else if (highest < most / 2 && (trying || !limited)) {
      limit = most;
    } else {
      if (nanos >= WINDOW_NANOS) {
        measure(count / (nanos / NANOS));
      }
      if (limited && !trying && now - nextTrial >= 0) {
        trying = true;
        limit = most / 2 + 1;
        return;
      }
      planTrial(limited, now);
      limit = reasonable();
    }
    trying = false;
  }

  private void measure(double measured) {
    rate = Math.max(measured, rate + (measured - rate) * DOUBT);
  }

  /** What leaves within the time that requests should wait. */
  private int reasonable() {
    long least = Math.min(most, Math.max(LEAST, LEAST_RUNS * (long) perRun));
    return (int) Math.clamp((long) (rate * targetSeconds * cheapness()), least, (long) most);
  }

  private void planTrial(boolean limited, long now) {
    if (!limited) {
      trialPause = FIRST_TRIAL_NANOS;
      nextTrial = now + trialPause;
    } else if (trying) {
      trialPause = Math.min(trialPause * 2, LAST_TRIAL_NANOS);
      nextTrial = now + trialPause;
    }
  }
}
