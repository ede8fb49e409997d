package dev.sluice.scheduling.breaker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * When it opens, and how it closes
 *
 * Hanging.  Every worker of the model is in a run that takes longer than the setting says, and several
 *           times as long as the longest one that has ever answered a request: a model that is slow by
 *           nature does not hang. Nothing can run then, so nothing is tried: requests are rejected, those
 *           in the queue too, until one of the runs ends.
 * Failing.  So many runs in a row have failed, none of them by the fault of its requests. Workers are
 *           free, so one request is let through now and then. If it is answered, all are.
 * Reopening. No session of the model is left: the process of each has ended, or sessions that fail are closed and
 *           opened again. Requests are refused meanwhile; those in the queue wait, but for a model that could not
 *           be opened again.
 * Library.  Vert.x has a circuit breaker, which wraps calls: it counts their timeouts and failures. What
 *           counts here are native runs, which go on after every caller has been answered, and what is
 *           to be refused are also requests that were accepted before.
 * Cheap.    A request reads one field, and so does a run; the clock is not read.
 */

/**
 * Circuit breaker: rejects requests to a model whose runs hang or fail. Any thread.
 *
 * <p>Rejected requests fail with UNAVAILABLE and a time to retry, so that proxies and clients go
 * elsewhere. Client errors never open it.
 */
public final class CircuitBreaker {
  private static final Logger LOG = LoggerFactory.getLogger(CircuitBreaker.class);

  /** A run that hangs takes so many times as long as any that was seen. */
  private static final int MUCH_LONGER = 3;

  /**
   * A run that has taken so many times as long as one that hangs is ended. The first run of a model
   * that is slow by nature, which hangs for all that is known, has this long to show that it ends.
   */
  private static final int RUN_LIMIT_FACTOR = 5;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Clients that are refused while sessions are opened come back after this at the earliest. */
  private static final long LEAST_WAIT_NANOS = 1_000_000_000;

  /** The state of a breaker. */
  public enum State {
    /** Closed: requests are admitted. */
    CLOSED,
    /** Half open: a request is a probe; its outcome decides. */
    HALF_OPEN,
    /** Open: requests are rejected. */
    OPEN
  }

  private enum Condition {
    GOOD,
    FAILING,
    HANGING,
    REOPENING,
    LOST,
    STOPPED
  }

  private final ModelId model;
  private final BreakerConfig config;
  private final LongSupplier nanoTime;
  private final AtomicInteger failuresInRow = new AtomicInteger();
  private final ModelProof proof;
  private volatile long longestNanos;
  private volatile Condition condition = Condition.GOOD;

  @GuardedBy("this")
  private String reason = "";

  @GuardedBy("this")
  private long probeNanos;

  @GuardedBy("this")
  private boolean probing;

  /**
   * Run when it begins to refuse requests because runs fail, and each time that one fails again.
   */
  private volatile Runnable whenFailing = () -> {};

  public CircuitBreaker(ModelId model, BreakerConfig config, LongSupplier nanoTime) {
    this.model = model;
    this.config = config;
    this.proof = new ModelProof(model, config.failures());
    this.nanoTime = nanoTime;
  }

  /** Has an action run, on the failing run's thread, whenever the model is found to fail. */
  public void onFailing(Runnable action) {
    whenFailing = action;
  }

  /**
   * Asks for one request.
   *
   * @return why it is refused, with UNAVAILABLE; null if it may pass
   */
  public @Nullable InferenceException refusal() {
    return condition == Condition.GOOD ? null : refusalWhileOpen();
  }

  private synchronized @Nullable InferenceException refusalWhileOpen() {
    long now = nanoTime.getAsLong();
    return switch (condition) {
      case GOOD -> null;
      case HANGING, STOPPED -> refused(config.probeInterval());
      case REOPENING, LOST ->
          refused(Duration.ofNanos(Math.max(LEAST_WAIT_NANOS, probeNanos - now)));
      case FAILING -> {
        if (now - probeNanos < 0) {
          yield refused(Duration.ofNanos(probeNanos - now));
        }
        probeNanos = now + config.probeInterval().toNanos();
        probing = true;
        yield null;
      }
    };
  }

  @GuardedBy("this")
  private InferenceException refused(Duration retryAfter) {
    return outOfService(model, reason, retryAfter);
  }

  /** Returns the refusal of a model that takes no requests, with UNAVAILABLE. */
  public static InferenceException outOfService(ModelId model, String why, Duration retryAfter) {
    return InferenceException.unavailable(
        "model '" + model + "' is out of service: " + why + "; try again later", retryAfter);
  }

  /** Returns whether nothing that waits for the model can run. */
  public boolean hangs() {
    return switch (condition) {
      case HANGING, LOST, STOPPED -> true;
      case GOOD, FAILING, REOPENING -> false;
    };
  }

  /**
   * Records that no session of the model is left.
   *
   * @param why as callers read it
   * @param wait after which one may be there again
   * @param lost whether opening one has failed: what waits is to be refused
   */
  public synchronized void reopening(String why, Duration wait, boolean lost) {
    Condition next = lost ? Condition.LOST : Condition.REOPENING;
    boolean known = condition == Condition.REOPENING || condition == Condition.LOST;
    if (known) {
      condition = next;
      reason = why;
    } else {
      open(next, why);
    }
    probeNanos = nanoTime.getAsLong() + wait.toNanos();
  }

  /**
   * Records that a session was opened again: requests may pass, or the next one may if runs failed.
   */
  public synchronized void reopened() {
    if (condition == Condition.REOPENING || condition == Condition.LOST) {
      close();
    } else if (condition == Condition.FAILING) {
      probeNanos = nanoTime.getAsLong();
    }
  }

  /** Returns whether a run takes so long that it hangs. */
  public boolean isHang(long nanos) {
    return !config.hang().isZero()
        && nanos >= Math.max(config.hang().toNanos(), MUCH_LONGER * longestNanos);
  }

  /** Returns whether a run has taken so long that it is to be ended, if that is possible. */
  public boolean exceedsRunLimit(long nanos) {
    return isHang(nanos) && nanos / RUN_LIMIT_FACTOR >= config.hang().toNanos();
  }

  /**
   * Returns whether a run goes on much longer after it was to be ended, so that it will not end.
   */
  public boolean outlastsItsEnd(long nanos) {
    return exceedsRunLimit(nanos) && nanos / (2 * RUN_LIMIT_FACTOR) >= config.hang().toNanos();
  }

  /** Returns the error for callers of a run that cannot be ended. */
  public InferenceException abandonedRun(long nanos) {
    return InferenceException.unavailable(
        "a run of model '%s' has taken %s and does not end; try again later"
            .formatted(model, seconds(nanos)),
        config.probeInterval());
  }

  /** Returns the error for callers of a run that {@link #exceedsRunLimit}. */
  public InferenceException endedRun(long nanos) {
    return InferenceException.unavailable(
        "a run of model '%s' had taken %s and was ended; try again later"
            .formatted(model, seconds(nanos)),
        config.probeInterval());
  }

  /** Lets nothing pass any more. */
  public void stop(String why) {
    open(Condition.STOPPED, why);
  }

  /** Returns the current state. */
  public synchronized State state() {
    if (condition == Condition.GOOD) {
      return proof.isSuspect() ? State.HALF_OPEN : State.CLOSED;
    }
    return probing ? State.HALF_OPEN : State.OPEN;
  }

  /** Returns the reason why requests are rejected; empty while they are admitted. */
  public Optional<String> problem() {
    if (condition == Condition.GOOD) {
      return Optional.empty();
    }
    synchronized (this) {
      return condition == Condition.GOOD ? Optional.empty() : Optional.of(reason);
    }
  }

  /**
   * Looks whether the model hangs.
   *
   * @param shortestNanos for how long all of its workers have been running at least; 0 if one is
   *     free
   * @return whether it hangs and did not before: what waits is to be refused
   */
  public boolean look(long shortestNanos) {
    boolean hang = isHang(shortestNanos);
    if (hang && !hangs()) {
      open(Condition.HANGING, "a run has taken " + seconds(shortestNanos) + " and has not ended");
      return true;
    }
    if (!hang) {
      ended();
    }
    return false;
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / NANOS_PER_SECOND);
  }

  /** Records that a run has ended, well or not. */
  public void ended() {
    if (condition == Condition.HANGING) {
      close();
    }
  }

  /** Records that a run has answered a request that was not abandoned. */
  public void answered(long nanos) {
    proof.answered();
    if (failuresInRow.get() != 0) {
      failuresInRow.set(0);
    }
    if (nanos > longestNanos) {
      // A race may lose one to another that is about as long.
      longestNanos = nanos;
    }
    if (condition == Condition.FAILING) {
      close();
    }
  }

  /**
   * Records that a run of a request that was not abandoned has failed. Counts if that is not the
   * request's fault.
   *
   * @return the error for the caller: the same, but for values that a model refused which has
   *     refused all so far
   */
  public InferenceException failed(InferenceException why) {
    if (why.isOfUnprovenModel()) {
      return proof.refused(why);
    }
    if (why.code().fault() != ErrorCode.Fault.SERVER) {
      return why;
    }
    int failures = failuresInRow.incrementAndGet();
    if (condition == Condition.FAILING) {
      failedAgain();
      whenFailing.run();
    } else if (config.failures() > 0 && failures >= config.failures()) {
      open(
          Condition.FAILING,
          failures + " runs in a row failed, the last with: " + why.getMessage());
      whenFailing.run();
    }
    return why;
  }

  private synchronized void failedAgain() {
    probing = false;
    probeNanos = nanoTime.getAsLong() + config.probeInterval().toNanos();
  }

  private synchronized void open(Condition why, String text) {
    boolean lost = condition == Condition.REOPENING || condition == Condition.LOST;
    boolean knownWorse = condition == Condition.STOPPED || (lost && why != Condition.STOPPED);
    if (condition == why || knownWorse) {
      return;
    }
    condition = why;
    reason = text;
    probing = false;
    probeNanos = nanoTime.getAsLong() + config.probeInterval().toNanos();
    if (why == Condition.STOPPED) {
      return;
    }
    LOG.atWarn()
        .addKeyValue("model", model)
        .addKeyValue("reason", text)
        .log("the circuit breaker is open: requests to the model are rejected");
  }

  private synchronized void close() {
    if (condition == Condition.GOOD || condition == Condition.STOPPED) {
      return;
    }
    condition = Condition.GOOD;
    failuresInRow.set(0);
    LOG.atInfo().addKeyValue("model", model).log("the model is in service again");
  }
}
