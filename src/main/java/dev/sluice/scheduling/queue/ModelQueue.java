package dev.sluice.scheduling.queue;

import dev.sluice.config.QueueConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpscUnboundedXaddArrayQueue;
import org.jspecify.annotations.Nullable;

/*
 * How a request passes through this queue
 *
 * Arrival.   Any event loop offers, without a lock. A counter in front bounds the queue to the very
 *            number in the settings, and a full queue refuses at once.
 * Order.     Whoever takes first moves what has arrived into one line for each level of priority.
 *            A line is linked through the requests themselves, so that a taker may look ahead, take
 *            from the middle and leave the rest as it stood, and nothing is allocated.
 * Departure. Only the model's workers take, each holding the queue (its monitor) for as long as it
 *            looks: a few comparisons for each request. They alone contend for it, and with one
 *            instance nobody does. Event loops never touch it.
 * Stopping.  A model is closed when nobody holds a loan of it, and every request that waits holds
 *            one: nothing can wait then. close() refuses what should come all the same, and hands
 *            out what it finds, so that a mistake elsewhere leaves nobody without an answer. An
 *            offer that was counted before the mark but is not in the queue yet is waited for: its
 *            event loop is between two instructions.
 */

/**
 * Requests waiting for one version of a model, in their order. Bounded; any number of event loops
 * and workers. What says so is only for one who holds the queue: {@code synchronized (queue)}.
 */
public final class ModelQueue implements QueueIntake {
  private static final int CHUNK = 128;

  /** Far above any capacity, far below overflow. */
  private static final int CLOSED_MARK = 1 << 30;

  private final int capacity;
  private final int defaultLevel;
  private final AtomicInteger size = new AtomicInteger();
  private final MpscUnboundedXaddArrayQueue<Pending> arrivals =
      new MpscUnboundedXaddArrayQueue<>(CHUNK);

  /** By level, the highest first. Guarded by this. */
  private final PendingList[] lines;

  /**
   * @param config how many may wait, and how many levels there are
   */
  public ModelQueue(QueueConfig config) {
    this.capacity = config.maxQueuedRequests();
    this.defaultLevel = config.defaultPriorityLevel() - 1;
    this.lines = new PendingList[config.priorityLevels()];
    for (int i = 0; i < lines.length; i++) {
      lines[i] = new PendingList();
    }
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
    arrivals.add(request);
    return Offer.TAKEN;
  }

  /**
   * Adds a step of a stream that was let in before: the bound is not for it.
   *
   * @return false if the queue is closed; the step stays the caller's
   */
  public boolean offerNext(Pending step) {
    if (size.getAndIncrement() >= CLOSED_MARK) {
      size.decrementAndGet();
      return false;
    }
    arrivals.add(step);
    return true;
  }

  /** Whether anything has come since the last {@link #settle}. */
  public boolean hasArrivals() {
    return !arrivals.isEmpty();
  }

  /** Puts what has arrived into line. Holding the queue. */
  public void settle() {
    for (Pending next = arrivals.poll(); next != null; next = arrivals.poll()) {
      next.level = level(next.request().options().priority());
      lines[next.level].addLast(next);
    }
  }

  private int level(long priority) {
    return priority >= 1 && priority <= lines.length ? (int) priority - 1 : defaultLevel;
  }

  /** The first in line, or null if nobody is. Holding the queue. */
  public @Nullable Pending first() {
    return firstFrom(0);
  }

  /** The next in line, of the same level or a lower one. Holding the queue. */
  public @Nullable Pending after(Pending waiting) {
    return waiting.next != null ? waiting.next : firstFrom(waiting.level + 1);
  }

  private @Nullable Pending firstFrom(int level) {
    for (int i = level; i < lines.length; i++) {
      if (!lines[i].isEmpty()) {
        return lines[i].first();
      }
    }
    return null;
  }

  /** Takes one who is in line. Holding the queue. */
  public void remove(Pending waiting) {
    lines[waiting.level].remove(waiting);
    size.decrementAndGet();
  }

  /** Refuses every later offer and hands out what still waits, to be answered by the caller. */
  public synchronized List<Pending> close() {
    size.addAndGet(CLOSED_MARK);
    var waiting = new ArrayList<Pending>();
    while (size.get() > CLOSED_MARK) {
      settle();
      for (Pending next = first(); next != null; next = first()) {
        remove(next);
        waiting.add(next);
      }
      Thread.onSpinWait();
    }
    return waiting;
  }
}
