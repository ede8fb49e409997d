package dev.sluice.serving.worker;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Holder of a session: its worker, an event loop in an inline execution, or none while the worker
 * rests. The holder owns the state of the worker.
 *
 * <p>Hand-over: the holder changes by compare-and-set, which is a happens-before edge to the next
 * one. A thread that finds the session held does not wait, so a holder that releases it looks once
 * more for what such threads have left in the queue: one of the two sees the other.
 *
 * <p>Threads: any.
 */
final class SessionHolder {
  private enum Holder {
    NONE,
    WORKER,
    EVENT_LOOP
  }

  private final AtomicReference<Holder> holder = new AtomicReference<>(Holder.WORKER);
  private final BooleanSupplier isNeeded;

  /**
   * The worker is the first holder.
   *
   * @param isNeeded whether there is work for the worker, asked after each release; any thread
   */
  SessionHolder(BooleanSupplier isNeeded) {
    this.isNeeded = isNeeded;
  }

  /** Returns whether the worker holds the session. */
  boolean isWorker() {
    return holder.get() == Holder.WORKER;
  }

  /** Returns whether the worker rests, and no event loop runs the session. */
  boolean isNone() {
    return holder.get() == Holder.NONE;
  }

  /** Makes the worker the holder; false if there is one. The caller then wakes the worker. */
  boolean tryAcquireForWorker() {
    return tryAcquire(Holder.WORKER);
  }

  /** Makes the calling event loop the holder; false if there is one. */
  boolean tryAcquireForEventLoop() {
    return tryAcquire(Holder.EVENT_LOOP);
  }

  private boolean tryAcquire(Holder next) {
    return isNone() && holder.compareAndSet(Holder.NONE, next);
  }

  /** Passes the session from the calling event loop, which holds it, to the worker. */
  void handOverToWorker() {
    holder.set(Holder.WORKER);
  }

  /**
   * Ends the hold of the caller.
   *
   * @return true if the worker holds the session again, for the work that there is
   */
  boolean release() {
    holder.set(Holder.NONE);
    return isNeeded.getAsBoolean() && tryAcquireForWorker();
  }
}
