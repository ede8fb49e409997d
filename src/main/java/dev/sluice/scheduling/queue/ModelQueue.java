package dev.sluice.scheduling.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.MpscUnboundedXaddArrayQueue;
import org.jspecify.annotations.Nullable;

/*
 * How a request passes through this queue
 *
 * Arrival.   Any event loop offers, without a lock. A counter in front bounds the queue to exactly
 *            the number in the settings, and a full queue rejects at once.
 * Order.     The first taker moves arrivals into one line for each priority level. A line is linked
 *            through the requests themselves, so that a taker may look ahead, take from the middle
 *            and leave the rest in order, without allocating.
 * Lateness.  A level may keep requests that are over the queue timeout: they wait in a line of their
 *            own, behind all others of the level. A taker checks for them first.
 * Memory.    A stream that lacks memory for its caches waits in a line of its own, and is not in the way
 *            of others. When memory is given back, the first of the highest level begins, as far as
 *            there is memory for it: none overtakes it, or large ones would wait for ever. It counts
 *            as waiting, and is cancelled, expired and refused as all that wait. Where lower levels
 *            hold what it lacks, streams of theirs are preempted: they free their caches, wait in
 *            front of their level, and compute the caches again when they are let in.
 * Prompts.   A stream whose prompt begins as one does that is being computed waits for that in a line
 *            of its own, before it takes memory, to go on behind what that leaves. A prompt that is
 *            waited for has its memory, and is of the same level or a higher one, so it runs whatever
 *            those do that wait for it. Whenever one has got on, has ended or was given up, those
 *            that wait are asked again: they go on, or the first of them is waited for.
 * Taking.    Only the model's workers take, each holding the queue (its monitor) for a few
 *            comparisons per request. Only workers contend for it; with one instance there is no
 *            contention. An event loop takes only in place of a resting worker (inline execution).
 * Removal.   A request that is cancelled or has expired is removed at once, by the thread that
 *            cancels it, holding the queue: its place is free, and live requests are not rejected
 *            because of abandoned ones.
 * Closing.   A model is closed when no lease on it is held, and every request that waits holds one:
 *            then the queue is empty. close() rejects later offers all the same, and returns what it
 *            finds, so that a defect elsewhere leaves no request without an answer. It waits for an
 *            offer that was counted before the mark but is not in the queue yet: its event loop is
 *            between two instructions.
 */

/**
 * Requests waiting for one version of a model, in their order. Bounded; any number of event loops
 * and workers. What says so is only for one who holds the queue: {@code synchronized (queue)}.
 */
public final class ModelQueue implements QueueIntake {
  private static final int CHUNK = 128;

  /**
   * Lines of a level: those in line, those who are late, those held for want of memory, and those
   * who wait for another prompt.
   */
  private static final int LINES = 4;

  private static final int HELD = 2;
  private static final int FOLLOWING = 3;

  /** TensorFlow Serving's words for a full queue. */
  public static final String TENSORFLOW_FULL =
      "The batch scheduling queue to which this task was submitted is full";

  /** Far above any capacity, far below overflow. */
  private static final int CLOSED_MARK = 1 << 30;

  private final int capacity;
  private final ErrorCode refusal;
  private final boolean asTensorflow;
  private final int defaultLevel;
  private final AtomicInteger size = new AtomicInteger();
  private final MpscUnboundedXaddArrayQueue<PendingRequest> arrivals =
      new MpscUnboundedXaddArrayQueue<>(CHUNK);

  /** The highest first. Their lines are guarded by this. */
  private final PriorityLevel[] levels;

  private final CacheBudget caches;

  /** Prompts that wait for others. */
  private final AtomicInteger following = new AtomicInteger();

  /** Guarded by this, as the lines are. */
  private final Preemption preemption;

  /**
   * @param config how many may wait, how many levels there are, and how long one may wait
   */
  public ModelQueue(QueueConfig config) {
    this(config, CacheBudget.unlimited());
  }

  /**
   * @param config how many may wait, how many levels there are, and how long one may wait
   * @param caches memory for streams
   */
  public ModelQueue(QueueConfig config, CacheBudget caches) {
    this.caches = caches;
    this.capacity = config.capacity();
    this.refusal =
        config.refusesAsUnavailable() ? ErrorCode.UNAVAILABLE : ErrorCode.RESOURCE_EXHAUSTED;
    this.asTensorflow = config.whenFull() == QueueConfig.WhenFull.UNAVAILABLE;
    this.defaultLevel = config.defaultPriorityLevel() - 1;
    this.levels = new PriorityLevel[config.priorityLevels()];
    this.preemption = new Preemption(levels.length);
    for (int i = 0; i < levels.length; i++) {
      levels[i] = new PriorityLevel(config.policy(i));
    }
  }

  /** Returns why there is no room for a request to a model. */
  public InferenceException full(String model) {
    return new InferenceException(refusal, asTensorflow ? TENSORFLOW_FULL : full(model, size()));
  }

  private static String full(String model, int waiting) {
    return "model '%s' has %d requests waiting: Exceeds maximum queue size"
        .formatted(model, waiting);
  }

  /** Returns how many wait now. */
  public int size() {
    int counted = size.get();
    return counted >= CLOSED_MARK ? 0 : counted;
  }

  /** Returns how many wait that a worker could take, or nearly: some may just be leaving. */
  public int ready() {
    return Math.max(0, size() - caches.waiting() - following.get());
  }

  /** Returns the memory for streams. */
  public CacheBudget caches() {
    return caches;
  }

  @Override
  public Offer offer(PendingRequest request) {
    int before = size.getAndIncrement();
    if (before >= capacity || !level(request).enter(request)) {
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
  public boolean offerNext(PendingRequest step) {
    if (size.getAndIncrement() >= CLOSED_MARK) {
      size.decrementAndGet();
      return false;
    }
    level(step).enterAnyway();
    arrivals.add(step);
    return true;
  }

  /** Returns whether anything has come since the last {@link #drainArrivals}. */
  public boolean hasArrivals() {
    return !arrivals.isEmpty();
  }

  /** Puts what has arrived into line. Holding the queue. */
  @GuardedBy("this")
  public void drainArrivals() {
    arrange();
  }

  /** Puts what has arrived into line. Returns how many streams began that may be new to workers. */
  private int arrange() {
    for (PendingRequest next = arrivals.poll(); next != null; next = arrivals.poll()) {
      level(next);
      next.inLine = true;
      lineUp(next);
    }
    return beginStreams();
  }

  /** Puts one who is in no line into one. Returns whether workers may see it now. */
  private boolean lineUp(PendingRequest next) {
    PriorityLevel level = levels[next.line / LINES];
    if (caches.concerns(next)) {
      next.line += HELD;
      level.hold(next);
      caches.waits();
      return false;
    }
    return letGo(next, level, level.turn(next).mustWait(next.line / LINES));
  }

  /** Has one who lacks no memory wait for another prompt, or lets it in; true: workers see it. */
  private boolean letGo(PendingRequest next, PriorityLevel level, boolean waits) {
    if (waits) {
      next.line += FOLLOWING;
      level.following.addLast(next);
      following.incrementAndGet();
    } else {
      letIn(next, level);
    }
    return !waits;
  }

  /** Lets workers see one who is in no line, and others wait for its prompt. */
  private static void letIn(PendingRequest next, PriorityLevel level) {
    if (level.turn(next).begin(next.line / LINES)) {
      next.runAlone();
    }
    level.fresh.addLast(next);
  }

  /** Asks those who wait for other prompts whether they still do. Returns how many go on. */
  private int letFollowersOn() {
    int begun = 0;
    for (PriorityLevel level : levels) {
      PendingRequests asked = level.takeFollowing();
      for (PendingRequest next = asked.first(); next != null; next = asked.first()) {
        asked.remove(next);
        next.line -= FOLLOWING;
        following.decrementAndGet();
        begun += lineUp(next) ? 1 : 0;
      }
    }
    return begun;
  }

  /** Records that a prompt has got on that others may wait for. Any thread. */
  public void promptsAdvanced() {
    int begun;
    synchronized (this) {
      begun = letFollowersOn() + beginStreams();
    }
    if (begun > 0) {
      caches.streamsBegin();
    }
  }

  /** Puts streams into line in their order, as far as there is memory. Returns how many. */
  private int beginStreams() {
    int begun = 0;
    for (int i = 0; i < levels.length; i++) {
      PriorityLevel level = levels[i];
      for (PendingRequest first = level.held.first(); first != null; first = level.held.first()) {
        boolean waits = level.turn(first).mustWait(i);
        if (!waits && !caches.tryReserve(first)) {
          preemption.makeRoom(caches.missing(first), i);
          return begun;
        }
        caches.waitsNoLonger();
        level.held.remove(first);
        first.line -= HELD;
        begun += letGo(first, level, waits) ? 1 : 0;
      }
    }
    return begun;
  }

  /**
   * Records that a stream has ended, so that others may begin. Any thread.
   *
   * @param bytes that were reserved for it
   */
  public void streamEnded(CacheHolder stream, long bytes) {
    changeReserved(() -> {
      preemption.remove(stream);
      caches.release(bytes);
    });
  }

  /**
   * Records that a stream has freed its caches before its end, so that others may begin. Any
   * thread.
   */
  public void streamPreempted(CacheHolder stream) {
    caches.preempted();
    streamEnded(stream, stream.cacheBytes());
  }

  /**
   * Lets a stream that has reserved memory be preempted from now on, until it gives that back. Any
   * thread.
   *
   * @param request of the stream
   */
  public void letPreempt(CacheHolder stream, InferenceRequest request) {
    changeReserved(() -> preemption.add(stream, level(request)));
  }

  /** Lets streams begin, or preempt others, by what has changed. */
  private void changeReserved(Runnable change) {
    int begun;
    synchronized (this) {
      change.run();
      begun = beginStreams();
    }
    if (begun > 0) {
      caches.streamsBegin();
    }
  }

  private PriorityLevel level(PendingRequest request) {
    int level = level(request.request());
    request.line = LINES * level;
    return levels[level];
  }

  private int level(InferenceRequest request) {
    long priority = request.options().priority();
    return priority >= 1 && priority <= levels.length ? (int) priority - 1 : defaultLevel;
  }

  /** Puts those who have waited too long behind others, in levels that keep them. Holding it. */
  @GuardedBy("this")
  public void delay(long nowNanos) {
    for (PriorityLevel level : levels) {
      level.delay(nowNanos);
    }
  }

  /** Returns the first in line, or null if the queue is empty. Holding the queue. */
  @GuardedBy("this")
  public @Nullable PendingRequest first() {
    return firstFrom(0);
  }

  /** Returns the next in line, of the same level or a lower one. Holding the queue. */
  @GuardedBy("this")
  public @Nullable PendingRequest after(PendingRequest waiting) {
    return waiting.next != null ? waiting.next : firstFrom(waiting.line + 1);
  }

  @GuardedBy("this")
  private @Nullable PendingRequest firstFrom(int line) {
    for (int i = line; i < LINES * levels.length; i++) {
      if (i % LINES < HELD && !line(i).isEmpty()) {
        return line(i).first();
      }
    }
    return null;
  }

  @GuardedBy("this")
  private PendingRequests line(int i) {
    PriorityLevel level = levels[i / LINES];
    return switch (i % LINES) {
      case 0 -> level.fresh;
      case HELD -> level.held;
      case FOLLOWING -> level.following;
      default -> level.late;
    };
  }

  /** Takes one who is in line. Holding the queue. */
  @GuardedBy("this")
  public void remove(PendingRequest waiting) {
    line(waiting.line).remove(waiting);
    waiting.inLine = false;
    switch (waiting.line % LINES) {
      case HELD -> caches.waitsNoLonger();
      case FOLLOWING -> following.decrementAndGet();
      default -> {}
    }
    levels[waiting.line / LINES].leave();
    size.decrementAndGet();
  }

  /**
   * Takes out one that still waits. Any thread.
   *
   * @return false if a worker has taken it, or will not get it: then it is not the caller's
   */
  public boolean withdraw(PendingRequest waiting) {
    boolean withdrawn;
    int begun;
    synchronized (this) {
      begun = arrange();
      withdrawn = waiting.inLine;
      if (withdrawn) {
        remove(waiting);
      }
    }
    if (begun > 0) {
      caches.streamsBegin();
    }
    return withdrawn;
  }

  /** Hands out all that waits, to be answered by the caller. Any thread. */
  public synchronized List<PendingRequest> takeAll() {
    var waiting = new ArrayList<PendingRequest>();
    drainArrivals();
    for (int i = 0; i < LINES * levels.length; i++) {
      for (PendingRequest next = line(i).first(); next != null; next = line(i).first()) {
        remove(next);
        waiting.add(next);
      }
    }
    return waiting;
  }

  /** Refuses every later offer and hands out what still waits, to be answered by the caller. */
  public synchronized List<PendingRequest> close() {
    size.addAndGet(CLOSED_MARK);
    var waiting = new ArrayList<PendingRequest>();
    while (size.get() > CLOSED_MARK) {
      waiting.addAll(takeAll());
      Thread.onSpinWait();
    }
    return waiting;
  }
}
