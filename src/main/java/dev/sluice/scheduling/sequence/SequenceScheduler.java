package dev.sluice.scheduling.sequence;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.access.Caller;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.admission.CallerShares;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/*
 * How a sequence runs
 *
 * Order.     A sequence runs one request at a time, in arrival order. Each one is an ordinary request
 *            to the instance that has the sequence's slot, so that requests of different sequences
 *            are batched like all others.
 * State.     Outputs that the settings name are kept, and passed as inputs to the next run. They stay
 *            in native memory and belong to the sequence; a run that fails leaves them unchanged.
 * Start.     The first request has the START flag. On a running sequence it starts anew. If every
 *            slot of every instance is taken, a new sequence waits for one.
 * Owners.    A sequence belongs to the identity that started it: the same correlation id of another
 *            identity is another sequence. No identity has more than its share of the slots.
 * End.       After the request with the END flag, or after the idle time of the settings, a sequence
 *            ends and its state is freed. A later request without START is rejected.
 * Idle.      While there are sequences, a coarse timer looks for those that are idle, and for
 *            abandoned requests that wait.
 */

/** Lets requests of one sequence run one after another, each with the state of the one before. */
public final class SequenceScheduler implements Scheduler {
  private static final Duration SHORTEST_WATCH = Duration.ofMillis(10);
  private static final Duration LONGEST_WATCH = Duration.ofMillis(250);

  private final CallerContexts contexts;
  private final SequencePlans plans;
  private final List<Scheduler> lanes;
  private final int capacity;
  private final long timeoutNanos;
  private final long maxIdleNanos;
  private final LongSupplier nanoTime;

  @GuardedBy("this")
  private final Map<Sequence.Key, Sequence> sequences = new HashMap<>();

  @GuardedBy("this")
  private final CallerShares shares;

  @GuardedBy("this")
  private final SequenceSlots slots;

  @GuardedBy("this")
  private int waiting;

  @GuardedBy("this")
  private boolean watching;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param lanes one for each instance
   * @param config has settings for sequences
   */
  public SequenceScheduler(
      CallerContexts contexts,
      SequencePlans plans,
      List<Scheduler> lanes,
      ModelConfig config,
      LongSupplier nanoTime) {
    SequenceConfig rules = config.sequence().orElseThrow();
    Duration timeout = config.queue().queueTimeout();
    this.contexts = contexts;
    this.plans = plans;
    this.lanes = List.copyOf(lanes);
    this.capacity = config.queue().capacity();
    this.timeoutNanos = timeout.isZero() ? Long.MAX_VALUE : timeout.toNanos();
    this.maxIdleNanos = rules.maxIdle().toNanos();
    this.nanoTime = nanoTime;
    this.shares =
        new CallerShares(
            (int) Math.min(Integer.MAX_VALUE, (long) lanes.size() * rules.maxSequences()),
            "sequences",
            "sequence.max_sequences");
    this.slots = new SequenceSlots(lanes.size(), rules.maxSequences());
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    SequencePlan plan = plans.plan(request.signature());
    if (plan == null) {
      return lanes.getFirst().submit(request);
    }
    var step = new SequenceRequest(request, plan, contexts.current(), nanoTime.getAsLong());
    try {
      plan.check(request);
      Sequence sequence = accept(step);
      request.onAbandoned(() -> withdraw(step, sequence));
      @Nullable SequenceRequest next = next(sequence);
      if (next == step) {
        run(step, sequence);
      } else if (next != null) {
        runOnCallerContext(next, sequence);
      }
    } catch (InferenceException e) {
      step.fail(e);
    }
    return step.answer();
  }

  /**
   * Returns how many requests wait for their sequence, or their sequence for its place. Any thread.
   */
  public synchronized int waiting() {
    return waiting;
  }

  /** Puts a step behind those of its sequence. */
  private synchronized Sequence accept(SequenceRequest step) {
    Caller caller = step.request().model().caller();
    var key = new Sequence.Key(caller.identity(), step.place().id());
    @Nullable Sequence sequence = sequences.get(key);
    requireOpen(step, sequence);
    if (sequence == null) {
      shares.take(caller, step.request().model().id().name());
      sequence = new Sequence(key, caller);
      sequences.put(key, sequence);
      slots.assign(sequence);
    }
    sequence.lastNanos = nanoTime.getAsLong();
    sequence.add(step);
    waiting++;
    watch();
    return sequence;
  }

  @GuardedBy("this")
  private void requireOpen(SequenceRequest step, @Nullable Sequence sequence) {
    if (closed) {
      throw closed(step);
    }
    if (!step.place().start() && (sequence == null || !sequence.open)) {
      throw missingStart(step);
    }
    if (waiting >= capacity) {
      throw new InferenceException(
          ErrorCode.RESOURCE_EXHAUSTED,
          "model '%s' has %d requests of sequences waiting: Exceeds maximum queue size"
              .formatted(step.request().model().id().name(), capacity));
    }
  }

  private static InferenceException missingStart(SequenceRequest step) {
    return InferenceException.invalid(
        "inference request for sequence "
            + step.place().idText()
            + " to model '"
            + step.request().model().id().name()
            + "' must specify the START flag on the first request of the sequence");
  }

  private static InferenceException closed(SequenceRequest step) {
    return new InferenceException(
        ErrorCode.UNAVAILABLE, "model '" + step.request().model().id() + "' is being unloaded");
  }

  /** Runs the next step of a sequence, if it may run and none does, but not within this call. */
  private void runNext(Sequence sequence) {
    @Nullable SequenceRequest step = next(sequence);
    if (step != null) {
      runOnCallerContext(step, sequence);
    }
  }

  private void runOnCallerContext(SequenceRequest step, Sequence sequence) {
    step.callerContext().runOnContext(_ -> run(step, sequence));
  }

  private synchronized @Nullable SequenceRequest next(Sequence sequence) {
    if (!sequence.hasLane() || sequence.running || sequence.waiting().isEmpty()) {
      return null;
    }
    sequence.running = true;
    waiting--;
    return sequence.waiting().remove();
  }

  private void run(SequenceRequest step, Sequence sequence) {
    InferenceRequest run;
    try {
      begin(step, sequence);
      run = step.plan().prepare(step.request(), sequence.state());
    } catch (RuntimeException | Error e) {
      finish(sequence);
      step.fail(e);
      return;
    }
    lanes
        .get(sequence.lane)
        .submit(run)
        .onComplete(
            response -> succeed(step, sequence, response),
            failure -> fail(step, sequence, failure));
  }

  private static void begin(SequenceRequest step, Sequence sequence) {
    if (step.place().start()) {
      sequence.freeState();
      sequence.begin(step, step.plan().begin());
    } else if (!sequence.hasBegun(step)) {
      // Its first request was given up while it stood in line.
      throw missingStart(step);
    }
  }

  private void succeed(SequenceRequest step, Sequence sequence, InferenceResponse run) {
    SequencePlan plan = step.plan();
    List<NamedTensor> outputs = new ArrayList<>(run.outputs());
    try {
      sequence.replaceState(plan.takeState(outputs, plan.asked(step.request())));
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(outputs);
      fail(step, sequence, e);
      return;
    }
    finish(sequence);
    step.succeed(plan.answer(run, outputs, step.place()));
  }

  private void fail(SequenceRequest step, Sequence sequence, Throwable failure) {
    finish(sequence);
    step.fail(failure);
  }

  /**
   * Records that a step of the sequence is over: the next one runs, or one of a waiting sequence.
   */
  private void finish(Sequence sequence) {
    @Nullable Sequence seated = ended(sequence);
    runNext(sequence);
    if (seated != null) {
      runNext(seated);
    }
  }

  private synchronized @Nullable Sequence ended(Sequence sequence) {
    sequence.running = false;
    sequence.lastNanos = nanoTime.getAsLong();
    return closed || sequence.isOver() ? forget(sequence) : null;
  }

  /** Frees a sequence. Returns who gets its place. */
  @GuardedBy("this")
  private @Nullable Sequence forget(Sequence sequence) {
    if (sequences.remove(sequence.key(), sequence)) {
      shares.release(sequence.caller());
    }
    sequence.freeState();
    return slots.leave(sequence);
  }

  @GuardedBy("this")
  private void watch() {
    if (!watching) {
      watching = true;
      long millis =
          Math.clamp(maxIdleNanos / 4_000_000, SHORTEST_WATCH.toMillis(), LONGEST_WATCH.toMillis());
      contexts.vertx().setTimer(millis, _ -> look());
    }
  }

  /** Rejects abandoned requests that wait, and ends idle sequences. */
  void look() {
    List<SequenceRequest> abandoned = new ArrayList<>();
    for (Sequence seated : look(abandoned)) {
      runNext(seated);
    }
    abandoned.forEach(step -> step.failOnCallerContext(step.abandoned(nanoTime.getAsLong())));
  }

  private synchronized List<Sequence> look(List<SequenceRequest> abandoned) {
    long now = nanoTime.getAsLong();
    List<Sequence> seated = new ArrayList<>();
    List<Sequence> idle = new ArrayList<>();
    for (Sequence sequence : sequences.values()) {
      collectAbandoned(sequence, now, abandoned);
      if (sequence.isOver()
          || (sequence.isSilent() && now - sequence.lastNanos >= maxIdleNanos)
          || (sequence.isSilent() && !sequence.hasLane())) {
        idle.add(sequence);
      }
    }
    for (Sequence sequence : idle) {
      @Nullable Sequence next = forget(sequence);
      if (next != null) {
        seated.add(next);
      }
    }
    watching = false;
    if (!sequences.isEmpty()) {
      watch();
    }
    return seated;
  }

  /** Refuses a step that was cancelled or has expired while it stood in line. Any thread. */
  private void withdraw(SequenceRequest step, Sequence sequence) {
    long now = nanoTime.getAsLong();
    synchronized (this) {
      if (!step.isAbandoned(now, timeoutNanos) || !sequence.waiting().remove(step)) {
        return;
      }
      waiting--;
      if (sequence.isSilent() && !sequence.hasLane()) {
        forget(sequence);
      }
    }
    step.failOnCallerContext(step.abandoned(now));
  }

  @GuardedBy("this")
  private void collectAbandoned(Sequence sequence, long now, List<SequenceRequest> abandoned) {
    for (Iterator<SequenceRequest> steps = sequence.waiting().iterator(); steps.hasNext(); ) {
      SequenceRequest step = steps.next();
      if (step.isAbandoned(now, timeoutNanos)) {
        steps.remove();
        waiting--;
        abandoned.add(step);
      }
    }
  }

  /** Frees every state. Nothing runs any more: each request holds a lease on its model. */
  @Override
  public void close() {
    List<SequenceRequest> refused = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (Sequence sequence : List.copyOf(sequences.values())) {
        refused.addAll(sequence.waiting());
        sequence.waiting().clear();
        if (!sequence.running) {
          forget(sequence);
        }
      }
    }
    refused.forEach(step -> step.failOnCallerContext(closed(step)));
  }
}
