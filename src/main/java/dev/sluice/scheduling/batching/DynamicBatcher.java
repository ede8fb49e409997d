package dev.sluice.scheduling.batching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * How a batch is assembled and dispatched
 *
 * Assembly.  A worker takes the first request in line and all others that join it, and skips those
 *            that do not: they keep their places, and the first in line always heads a batch, so
 *            that no request starves. Lower priority levels only fill what higher ones leave free.
 * Dispatch.  A batch is dispatched when it is full, when its rows reach a preferred size, when its
 *            oldest request has waited maxQueueDelay, or when it cannot be joined at all. Without a
 *            delay every batch is dispatched at once: a busy model forms its batches while it runs
 *            the one before.
 * Delay.     If no batch can be dispatched, one worker, and never a second, parks until the oldest
 *            request is due. It publishes how many rows are missing; event loops count down what
 *            arrives and unpark it when all are there. So there are no spurious wake-ups and there
 *            is no timer. A worker that dispatches a batch wakes another one for the rest.
 * Prompts.   Streams that have begun wait for the prompts of others no longer than one chunk takes: once
 *            prompts of so many tokens have run, one after the other, a decode step goes first, if
 *            any waits, with those that join it. Then the line goes on, so that neither starves.
 * Wake-ups.  The waiting worker publishes itself, then polls for arrivals, then parks; an event loop
 *            enqueues its request, then reads the waiting worker. One of the two sees the other. A
 *            worker that wakes unpublishes itself before it polls the queue, for the same reason.
 * Expiry.    Checked on dispatch. No timer per request: an expired one costs one comparison, is not
 *            run, and takes no place in a batch.
 */

/**
 * Dynamic batching: decides which of a model's requests run together, and when. One for all of the
 * model's workers; {@link #arrived} is for event loops.
 */
public final class DynamicBatcher {
  /**
   * Largest number of queued requests that are searched for ones to join: bounds the time for which
   * the queue is locked.
   */
  private static final int LOOK_AHEAD = 256;

  private final ModelQueue queue;
  private final JoinRules rules;
  private final LongSupplier nanoTime;
  private final BatchDelay batchDelay = new BatchDelay();
  private final long maxQueueDelayNanos;

  /** Tokens of prompts after which streams that have begun go first; 0: never. */
  private final long prefillTurn;

  /** Tokens of prompts since another step ran. */
  @GuardedBy("queue")
  private long prefilled;

  /** Whether a worker waits for more requests, and since when. */
  @GuardedBy("queue")
  private boolean delays;

  @GuardedBy("queue")
  private long delayedNanos;

  /** Rows, growing, the last being the largest batch. */
  private final int[] preferredSizes;

  /** A batcher that does not know prompts from other requests. */
  public DynamicBatcher(
      ModelQueue queue, JoinRules rules, BatchingConfig batching, LongSupplier nanoTime) {
    this(queue, rules, batching, 0, nanoTime);
  }

  /**
   * @param queue held while a batch is chosen
   * @param prefillTurn tokens of prompts after which streams that have begun go first; 0: never
   */
  public DynamicBatcher(
      ModelQueue queue,
      JoinRules rules,
      BatchingConfig batching,
      long prefillTurn,
      LongSupplier nanoTime) {
    this.prefillTurn = prefillTurn;
    this.queue = queue;
    this.rules = rules;
    this.nanoTime = nanoTime;
    this.maxQueueDelayNanos = batching.maxQueueDelay().toNanos();
    this.preferredSizes =
        batching.preferredBatchSizes().isEmpty()
            ? new int[] {rules.largest()}
            : batching.preferredBatchSizes().stream().mapToInt(size -> size).sorted().toArray();
  }

  /**
   * Counts in a request that was put into the queue. Any thread.
   *
   * @return whether a worker waits that will look after it; if not, one has to be woken
   */
  public boolean arrived(PendingRequest request) {
    boolean leavesAtOnce = request.rows() == 0 || request.isUnderWay();
    return batchDelay.arrived(leavesAtOnce ? rules.largest() : request.rows());
  }

  /** Returns whether anything waits that no worker looks after, unless one is on its way. */
  public boolean needsWorker() {
    return queue.ready() > 0 && !batchDelay.isKept();
  }

  /** Returns how many requests wait that no worker looks after, unless one is on its way. */
  public int waiting() {
    return batchDelay.isKept() ? 0 : queue.ready();
  }

  /** Returns whether nothing waits that could run. */
  public boolean isEmpty() {
    return queue.ready() == 0;
  }

  /** Lets a waiting worker look again. */
  public void interrupt() {
    batchDelay.interrupt();
  }

  /** Fills a batch, if one may leave now, and in any case its list of abandoned requests. */
  public BatchDecision take(Batch batch) {
    batchDelay.end();
    batch.clear();
    synchronized (queue) {
      queue.drainArrivals();
      long now = nanoTime.getAsLong();
      queue.delay(now);
      BatchDecision decision = choose(batch, now);
      noteDelay(decision, batch, now);
      return decision;
    }
  }

  /** Notes since when a worker waits for more requests, and records that of those that leave. */
  @GuardedBy("queue")
  private void noteDelay(BatchDecision decision, Batch batch, long now) {
    if (decision == BatchDecision.WAIT) {
      delayedNanos = delays ? delayedNanos : now;
      delays = true;
      return;
    }
    if (delays && decision == BatchDecision.DISPATCH) {
      boolean isDue = now - batch.sinceNanos >= maxQueueDelayNanos;
      batch.recordDelay(delayedNanos, isDue ? now : batch.lastNanos());
    }
    // Another worker may go on waiting.
    delays = delays && batchDelay.isKept();
  }

  @GuardedBy("queue")
  private BatchDecision choose(Batch batch, long now) {
    if (prefillTurn > 0 && prefilled >= prefillTurn) {
      PendingRequest step = firstDecodeStep(batch, now);
      if (step != null) {
        gather(step, batch, now);
        leave(batch, Integer.MAX_VALUE);
        return BatchDecision.DISPATCH;
      }
    }
    return chooseInOrder(batch, now);
  }

  /** Returns the first in line of the steps of streams whose prompts have run. */
  @GuardedBy("queue")
  private @Nullable PendingRequest firstDecodeStep(Batch batch, long now) {
    PendingRequest waiting = queue.first();
    while (waiting != null) {
      PendingRequest after = queue.after(waiting);
      boolean decodes = waiting.isUnderWay() && waiting.request().prefill() == null;
      if (decodes && !removedAsAbandoned(waiting, batch, now)) {
        return waiting;
      }
      waiting = after;
    }
    return null;
  }

  @GuardedBy("queue")
  private BatchDecision chooseInOrder(Batch batch, long now) {
    int missing = Integer.MAX_VALUE;
    PendingRequest head = firstHead(queue.first(), batch, now);
    for (int looked = 0; head != null && looked < LOOK_AHEAD; looked++) {
      gather(head, batch, now);
      int limit = leavingSize(batch, now);
      if (limit > 0) {
        leave(batch, limit);
        return BatchDecision.DISPATCH;
      }
      missing = Math.min(missing, nextSize(batch.rows) - batch.rows);
      batch.waitNanos = Math.min(batch.waitNanos, batch.sinceNanos + maxQueueDelayNanos - now);
      batch.heads.add(head);
      head = firstHead(queue.after(head), batch, now);
    }
    batch.members.clear();
    return batch.heads.isEmpty() ? BatchDecision.IDLE : waitFor(batch, missing);
  }

  private BatchDecision waitFor(Batch batch, int missing) {
    if (!batchDelay.keep(missing)) {
      return BatchDecision.IDLE;
    }
    if (queue.hasArrivals()) {
      batch.waitNanos = 0;
    }
    return BatchDecision.WAIT;
  }

  /**
   * Returns the next in line that no batch was tried with. Abandoned requests are removed on the
   * way.
   */
  @GuardedBy("queue")
  private @Nullable PendingRequest firstHead(@Nullable PendingRequest from, Batch batch, long now) {
    PendingRequest waiting = from;
    while (waiting != null) {
      PendingRequest after = queue.after(waiting);
      if (!removedAsAbandoned(waiting, batch, now) && !joinsAny(batch, waiting)) {
        return waiting;
      }
      waiting = after;
    }
    return null;
  }

  private boolean joinsAny(Batch batch, PendingRequest waiting) {
    for (int i = 0; i < batch.heads.size(); i++) {
      if (waiting.rows() > 0 && rules.join(batch.heads.get(i).request(), waiting.request())) {
        return true;
      }
    }
    return false;
  }

  @GuardedBy("queue")
  private boolean removedAsAbandoned(PendingRequest waiting, Batch batch, long now) {
    if (!waiting.isAbandoned(now) && !waiting.hasWaitedTooLong(now)) {
      return false;
    }
    queue.remove(waiting);
    batch.abandoned.add(waiting);
    return true;
  }

  /** Fills the batch with the head and those in line behind it that join. */
  @GuardedBy("queue")
  private void gather(PendingRequest head, Batch batch, long now) {
    batch.begin(head, rules.size(head.request()));
    if (head.rows() == 0 || !rules.joins()) {
      batch.full = true;
      return;
    }
    PendingRequest waiting = queue.after(head);
    for (int looked = 0; waiting != null && looked < LOOK_AHEAD && !batch.full; looked++) {
      PendingRequest after = queue.after(waiting);
      if (!removedAsAbandoned(waiting, batch, now) && joins(head, waiting)) {
        addIfItFits(waiting, batch);
      }
      waiting = after;
    }
  }

  private boolean joins(PendingRequest head, PendingRequest waiting) {
    return waiting.rows() > 0 && rules.join(head.request(), waiting.request());
  }

  /** One whose rows are much longer or shorter than the batch's goes into another batch. */
  private void addIfItFits(PendingRequest waiting, Batch batch) {
    RowSize size = rules.size(waiting.request());
    if (!rules.isNear(batch, size)) {
      return;
    }
    if (rules.fits(batch, waiting.rows(), size)) {
      batch.add(waiting, size);
    } else {
      batch.full = true;
    }
  }

  /** Returns how many rows to dispatch now; 0 if the batch waits for its delay. */
  private int leavingSize(Batch batch, long now) {
    if (batch.full
        || batch.underWay
        || batch.rows >= rules.largest()
        || now - batch.sinceNanos >= maxQueueDelayNanos) {
      return Integer.MAX_VALUE;
    }
    int reached = 0;
    for (int size : preferredSizes) {
      reached = size <= batch.rows ? size : reached;
    }
    return reached;
  }

  private int nextSize(int rows) {
    for (int size : preferredSizes) {
      if (size > rows) {
        return size;
      }
    }
    return rules.largest();
  }

  @GuardedBy("queue")
  private void leave(Batch batch, int limit) {
    batch.cutTo(limit);
    boolean prompts = true;
    for (int i = 0; i < batch.members.size(); i++) {
      PendingRequest member = batch.members.get(i);
      queue.remove(member);
      LoopStep.Prefill prefill = member.request().prefill();
      prompts &= prefill != null;
      prefilled += prefill == null ? 0 : prefill.tokens();
    }
    prefilled = prompts ? prefilled : 0;
  }
}
