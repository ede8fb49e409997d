package dev.sluice.serving.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/*
 * Who opens a session again
 *
 * The worker that owns it, between two runs: so nothing runs on it meanwhile, and other workers of the model go on
 * taking what waits. The thread that finds it necessary sets a flag and wakes the worker.
 * Pauses.   Each time the pause before it doubles, up to half a minute; after a good while it begins anew.
 */

/**
 * Opens the session of one worker again: when its process has ended, or when its runs fail. {@link
 * #recover} is for the worker, the rest for any thread.
 */
final class SessionRecovery {
  static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** A session that lived so long begins with the first pause again. */
  private static final long GOOD_WHILE_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ReopenableSession session;
  private final ModelRecovery model;
  private final LongSupplier nanoTime;
  private final Runnable wake;
  private volatile boolean needed;

  @GuardedBy("this")
  private Duration pause = FIRST_PAUSE;

  @GuardedBy("this")
  private long openedNanos;

  @GuardedBy("this")
  private boolean ended;

  @GuardedBy("this")
  private boolean stopped;

  /** The index of the session that is open, among those that were opened in succession. */
  @GuardedBy("this")
  private long opened;

  /**
   * @param session of the worker
   * @param model what the recoveries of all sessions of the model share
   * @param wake has the worker look
   */
  SessionRecovery(
      ReopenableSession session, ModelRecovery model, LongSupplier nanoTime, Runnable wake) {
    this.session = session;
    this.model = model;
    this.nanoTime = nanoTime;
    this.wake = wake;
    this.openedNanos = nanoTime.getAsLong();
    watch();
  }

  private void watch() {
    long which;
    synchronized (this) {
      which = opened;
    }
    var _ = session.ended().thenAccept(why -> sessionEnded(which, why));
  }

  /** One that ends because it was closed, to open another one, is none of these. */
  private void sessionEnded(long which, String why) {
    Duration wait;
    synchronized (this) {
      if (stopped || which != opened) {
        return;
      }
      ended = true;
      wait = nextPause();
    }
    model.lost(this, why, wait, false);
    needed = true;
    wake.run();
  }

  /**
   * No session is open yet: opens one at once.
   *
   * @param why it is necessary
   */
  void openFirst(String why) {
    model.lost(this, why, FIRST_PAUSE, false);
    needed = true;
  }

  /** The model fails: opens the session again unless that was done shortly before. */
  void sessionFails() {
    synchronized (this) {
      if (stopped || nanoTime.getAsLong() - openedNanos < nextPause().toNanos()) {
        return;
      }
    }
    needed = true;
    wake.run();
  }

  private synchronized Duration nextPause() {
    if (nanoTime.getAsLong() - openedNanos >= GOOD_WHILE_NANOS) {
      pause = FIRST_PAUSE;
    }
    return pause;
  }

  /** Returns whether the worker is to {@link #recover} before it runs anything. */
  boolean isNeeded() {
    return needed;
  }

  /** Opens the session again, however often it fails. Blocks until then, or until {@link #stop}. */
  void recover() {
    boolean pauses;
    synchronized (this) {
      pauses = ended;
    }
    while (needed && (!pauses || pause())) {
      pauses = true;
      closing();
      try {
        session.reopen();
        opened();
      } catch (RuntimeException | Error e) {
        model.lost(this, String.valueOf(e.getMessage()), longerPause(), true);
      }
    }
    if (isStopped()) {
      needed = false;
    }
  }

  private synchronized void closing() {
    opened++;
  }

  private synchronized Duration longerPause() {
    pause = longer(pause);
    ended = true;
    return pause;
  }

  /** Returns the pause that follows this one, if it was in vain. */
  static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private void opened() {
    longerPause();
    synchronized (this) {
      ended = false;
      openedNanos = nanoTime.getAsLong();
    }
    needed = false;
    model.restored(this);
    watch();
  }

  /** False if it was stopped meanwhile. */
  private synchronized boolean pause() {
    long until = nanoTime.getAsLong() + pause.toNanos();
    try {
      long left = pause.toNanos();
      while (!stopped && left > 0) {
        wait(Math.max(1, left / NANOS_PER_MILLI));
        left = until - nanoTime.getAsLong();
      }
    } catch (InterruptedException e) {
      stopped = true;
      Thread.currentThread().interrupt();
    }
    return !stopped;
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  /** Stops the recovery: the session is about to be closed for good and is not reopened. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }
}
