package dev.sluice.scheduling.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/*
 * How the limit is found
 *
 * A request waits for those in flight before it, which takes their number divided by the rate of
 * completions (Little's law). So a limit on the queue time is a limit on their number: rate x time.
 * The rate is measured in windows, and is valid only if the model was never idle.
 *
 * Cost.     A rejection costs about as much as a run of a tiny model. The higher the throughput of a
 *           model, the longer its queue may be: waiting clients cost less than retrying clients.
 * Decay.    The rate rises at once and falls slowly. Else rejections that take processor time from
 *           the model would make it look slower, and a slower model would reject more.
 * Busy.     If a request was waiting throughout a window, the model was never idle, and the rate is
 *           valid. That alone may be a burst, which is to be answered, however many come at once:
 *           while it lasts, requests are admitted that complete within the time of a burst, or
 *           within a minute or so if they are a few thousand, as one client sends.
 * Overload. A queue is overloaded if it has grown, second by second, for the time of a burst; if
 *           requests have expired in it second by second; if it holds what the model does in that
 *           time, and still grows; or if it is bounded and half full. Then the limit becomes
 *           rate x time, but never less than a few runs of the model, since even a slow one needs a
 *           next request when it completes one.
 * Steady.   Clients that wait for one answer before they send again make a queue that does not
 *           grow. Rejecting them has no benefit, so they are not limited.
 * Expired.  Requests that are abandoned without a run do not count in the rate.
 * Probing.  Clients that retry at once look like an overload that never ends, even if there is
 *           capacity for all of them. So the limit is lifted for a window now and then, to what
 *           completes in a quarter of a second, or half the queue, and stays up if that is enough.
 *           A probe ends once that is full: less than one request in a hundred waits for it. After
 *           each failed probe the next one comes later.
 * Recovery. If no request was waiting for an instant, the overload is over. The limit doubles, up to
 *           none: it falls at once and rises in steps, since a pause in a flood does not end it.
 *
 * Only counts are kept, no times of single requests: neither the fastest request ever seen nor an
 * average that follows the overload decides anything.
 */

/**
 * Adaptive concurrency limit: as many requests as complete within the target queue time. Any
 * thread; no locks.
 */
public final class QueueTimeLimit implements ConcurrencyLimit {
  /** Long enough to tell a burst from an overload. */
  private static final long WINDOW_NANOS = 100_000_000;

  /**
   * Interval until the limit is first tried to be lifted; each further trial takes twice as long to
   * come,
   */
  private static final long FIRST_TRIAL_NANOS = 40 * WINDOW_NANOS;

  /** but no longer than this. */
  private static final long LAST_TRIAL_NANOS = 8 * FIRST_TRIAL_NANOS;

  /** A longer window than this means that hardly any request came. */
  private static final long QUIET_NANOS = 20 * WINDOW_NANOS;

  /** So many runs' worth of requests are always let in, */
  private static final int LEAST_RUNS = 8;

  /** and so many requests. */
  private static final int LEAST = 16;

  /** Windows are so many runs long at least, or counting them says little. */
  private static final int WINDOW_RUNS = 4;

  /** The clock is looked at once for so many, which is also the least to learn from. */
  private static final int LEAST_COUNTED = 8;

  /** So many may be one burst of one client, */
  private static final int BURST_CALLS = 10_000;

  /** who waits for so many times of a burst. */
  private static final int BURST_TIMEOUT = 6;

  private static final double NANOS = 1e9;

  /** Interval at which the growth of the queue is measured. */
  private static final long SECOND_NANOS = 1_000_000_000;

  /** By how much a queue has to grow in a second: what is less may be chance. */
  private static final double GROWTH = 1.02;

  /**
   * In so many seconds one after another some have expired: the queue is too long for deadlines.
   */
  private static final int EXPIRING_SECONDS = 2;

  /** The rate of a model that has just begun says little. */
  private static final long WARM_NANOS = 2 * SECOND_NANOS;

  private static final double TRIAL_SECONDS = 0.25;

  /** A queue that is bounded by memory and time alone. */
  private static final int UNBOUNDED = 1 << 20;

  /** Requests in a second above which refusing one saves less and less: about 100 us each. */
  private static final double CHEAP_RATE = 10_000;

  /** Weight of a lower rate after each window. */
  private static final double DOUBT = 0.1;

  private final int perRun;
  private final double targetSeconds;
  private final double burstSeconds;
  private final int most;
  private final LongSupplier nanoTime;
  private final AtomicLong windowStart;
  private final AtomicInteger counted = new AtomicInteger();
  private volatile int fewest = Integer.MAX_VALUE;
  private volatile int highest;
  private volatile int limit;

  private final AtomicInteger expired = new AtomicInteger();

  private volatile boolean trying;

  /** True while admissions are bounded by the target, until the overload is over. */
  private volatile boolean limited;

  // Touched only by who ends a window.
  private long trialPause = FIRST_TRIAL_NANOS;
  private long nextTrial;
  private long standingNanos;
  private long secondNanos;
  private int secondHighest;
  private int secondBefore;
  private int secondExpired;
  private int growing;
  private int expiring;

  /** Requests in a second; 0 before it was measured. */
  private volatile double rate;

  /**
   * @param perRun how many requests the model runs at once: instances times batch size
   * @param target how long requests should wait at most under overload
   * @param burst how long those wait at most who are accepted before it is known that there are too
   *     many, and for how long a queue grows until then
   * @param most where the limit ends that is no limit any more: what queue and model hold
   */
  public QueueTimeLimit(
      int perRun, Duration target, Duration burst, int most, LongSupplier nanoTime) {
    this.perRun = perRun;
    this.burstSeconds = burst.toNanos() / NANOS;
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
  public void expired() {
    expired.incrementAndGet();
  }

  @Override
  public Duration timeToDrain() {
    return rate == 0 ? Duration.ofSeconds(1) : Duration.ofNanos((long) (limit / rate * NANOS));
  }

  @Override
  public void entered(int before) {
    mark(before);
  }

  private void mark(int inFlight) {
    if (inFlight < fewest) {
      // A race may lose a low mark to one hardly higher.
      fewest = inFlight;
    }
  }

  @Override
  public void released(int inFlight) {
    mark(inFlight);
    if (inFlight > highest) {
      highest = inFlight;
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
    int late = expired.getAndSet(0);
    if (fewest <= perRun) {
      passing(nanos);
      return;
    }
    standingNanos += nanos;
    secondHighest = Math.max(secondHighest, highest);
    secondExpired += late;
    if (nanos >= WINDOW_NANOS) {
      measure(Math.max(0, count - late) / (nanos / NANOS));
      countSeconds(nanos);
    }
    if (limited) {
      limitedWindow(now);
    } else if (isOverload()) {
      limited = true;
      planTrial(true, now);
      limit = reasonable();
    } else {
      limit = standingNanos < WARM_NANOS ? most : burst();
    }
  }

  private int burst() {
    int calls = Math.min(BURST_CALLS, answeredWithin(BURST_TIMEOUT * burstSeconds));
    return Math.max(calls, answeredWithin(burstSeconds));
  }

  /** Records that no request was waiting for an instant. */
  private void passing(long nanos) {
    standingNanos = 0;
    secondNanos = 0;
    secondHighest = 0;
    secondBefore = 0;
    secondExpired = 0;
    growing = 0;
    expiring = 0;
    limit = limited && nanos <= QUIET_NANOS ? (int) Math.min(most, limit * 2L) : most;
    limited = limited && limit < most;
    trying = false;
  }

  private void countSeconds(long nanos) {
    secondNanos += nanos;
    if (secondNanos < SECOND_NANOS) {
      return;
    }
    growing = secondHighest > secondBefore * GROWTH ? growing + 1 : 0;
    expiring = secondExpired > 0 ? expiring + 1 : 0;
    secondBefore = secondHighest;
    secondNanos = 0;
    secondHighest = 0;
    secondExpired = 0;
  }

  private boolean isOverload() {
    boolean halfFull = most < UNBOUNDED && highest >= most / 2;
    boolean atTheEnd = limit < most && highest >= limit && growing > 1;
    return halfFull || atTheEnd || growing >= burstSeconds || expiring >= EXPIRING_SECONDS;
  }

  private void limitedWindow(long now) {
    if (trying && highest < trialLimit() - 1 && expiring == 0) {
      limited = false;
      limit = most;
    } else if (!trying && now - nextTrial >= 0) {
      trying = true;
      limit = trialLimit();
      return;
    } else {
      planTrial(false, now);
      limit = reasonable();
    }
    trying = false;
  }

  private int trialLimit() {
    return Math.max(reasonable() + 1, Math.min(most / 2 + 1, (int) (rate * TRIAL_SECONDS)));
  }

  private int answeredWithin(double seconds) {
    return (int) Math.clamp((long) (rate * seconds), least(), (long) most);
  }

  private long least() {
    return Math.min(most, Math.max(LEAST, LEAST_RUNS * (long) perRun));
  }

  private void measure(double measured) {
    rate = Math.max(measured, rate + (measured - rate) * DOUBT);
  }

  /** Returns how many requests complete within the time that requests should wait. */
  private int reasonable() {
    return answeredWithin(targetSeconds * cheapness());
  }

  private void planTrial(boolean first, long now) {
    if (first) {
      trialPause = FIRST_TRIAL_NANOS;
      nextTrial = now + trialPause;
    } else if (trying) {
      trialPause = Math.min(trialPause * 2, LAST_TRIAL_NANOS);
      nextTrial = now + trialPause;
    }
  }
}
