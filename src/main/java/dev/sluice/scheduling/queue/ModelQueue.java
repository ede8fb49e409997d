package dev.sluice.scheduling.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpmcUnboundedXaddArrayQueue;
import org.jspecify.annotations.Nullable;

/*
 * How a request passes through this queue
 *
 * Arrival.   Any event loop offers. A counter in front of the queue bounds it to the very number in
 *            the settings, and a full queue refuses at once.
 * Departure. Only the model's workers take, in the order of arrival.
 * Stopping.  A model is closed when nobody holds a loan of it, and every request that waits holds
 *            one: nothing can wait then. close() refuses what should come all the same, and hands out
 *            what it finds, so that a mistake elsewhere leaves nobody without an answer.
 */

/** Requests waiting for one version of a model. Bounded; any number of event loops and workers. */
public final class ModelQueue implements QueueIntake {
  private static final int CHUNK = 128;

  /** Far above any capacity, far below overflow. */
  private static final int CLOSED_MARK = 1 << 30;

  private final int capacity;
  private final AtomicInteger size = new AtomicInteger();
  private final MpmcUnboundedXaddArrayQueue<Pending> queue =
      new MpmcUnboundedXaddArrayQueue<>(CHUNK);

  /**
   * @param capacity how many may wait
   */
  public ModelQueue(int capacity) {
    this.capacity = capacity;
  }

  public int capacity() {
    return capacity;
  }

  /** How many wait now. */
  public int size() {
    int counted = size.get();
    return counted >= CLOSED_MARK ? 0 : counted;
  }

  @Override
  public Offer offer(Pending request) {
    int before = size.getAndIncrement();
    if (before >= capacity) {
      size.decrementAndGet();
      return before >= CLOSED_MARK ? Offer.CLOSED : Offer.FULL;
    }
    queue.add(request);
    return Offer.TAKEN;
  }

  /** The request that has waited longest, or null if none waits. Workers only. */
  public @Nullable Pending poll() {
    Pending next = queue.poll();
    if (next != null) {
      size.decrementAndGet();
    }
    return next;
  }

  /** Refuses every later offer and hands out what still waits, to be answered by the caller. */
  public List<Pending> close() {
    size.addAndGet(CLOSED_MARK);
    var waiting = new ArrayList<Pending>();
    for (Pending next = poll(); next != null; next = poll()) {
      waiting.add(next);
    }
    return waiting;
  }
}
