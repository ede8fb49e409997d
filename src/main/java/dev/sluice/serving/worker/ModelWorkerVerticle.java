package dev.sluice.serving.worker;

import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.Batch;
import dev.sluice.scheduling.batching.BatchDecision;
import dev.sluice.scheduling.batching.BatchRunner;
import dev.sluice.scheduling.batching.RunCancellation;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.PendingRequests;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.telemetry.meter.RunMeter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Who runs the session
 *
 * Worker.     It takes batches until the queue is empty, then parks. The thread that enqueues work
 *             unparks it.
 * Inline execution. Waking the worker, and the event loop for the result, costs more than a run of a
 *             few microseconds. Where the settings allow it, an event loop whose turn brought
 *             requests runs them in place of a parked worker, delivers its own results and sends
 *             the others to their callers' event loops.
 * Hand-over.  The event loop leaves to the worker what is not known to be short, with the batch that
 *             it has taken already, and everything after a millisecond.
 * Ownership.  All private state belongs to the holder of the session (SessionHolder).
 * Further.    A worker beyond those that a model begins with asks before each batch whether it is needed.
 */

/**
 * Owns one session of a model and runs what waits in the model's queue. The only place where
 * requests leave their caller's event loop and results return to it.
 *
 * <p>Threads: everything private runs on one thread of the verticle's worker pool, which it keeps
 * as long as it is deployed, or while the worker rests on an event loop that calls {@link
 * #tryRunInline}; {@link #begin}, {@link #wake}, {@link #finish} and {@link #watch} are for any
 * thread. The worker parks while nothing waits, or during a batch delay.
 */
public final class ModelWorkerVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(ModelWorkerVerticle.class);

  /** After which an event loop leaves the rest to the worker. */
  private static final long MAX_INLINE_NANOS = 1_000_000;

  private final ModelWorkerState work;
  private final ModelSession session;
  private final InstancePermit permit;

  /** Whether the permit is of resources, so that it is to be asked for. */
  private final boolean limited;

  private final BatchRunner runner;
  private final Batch batch = new Batch();
  private final CallerCompletions answers = new CallerCompletions();
  private final InlineRunPolicy shortRuns;
  private final @Nullable SessionRecovery recovery;
  private final SessionHolder holder = new SessionHolder(this::isNeeded);
  private final Promise<Void> stopped = Promise.promise();
  private final RunMeter meter;
  private final Consumer<ModelWorkerVerticle> abandonedRunEnded;
  private final Predicate<ModelWorkerVerticle> mayTake;

  /** True if an inline execution took a batch and left it to the worker. */
  private boolean batchIsLeft;

  private volatile @Nullable Thread thread;
  private volatile boolean finishing;

  /**
   * @param session closed here if a run is abandoned, and by its owner otherwise
   * @param permit lets the session run
   * @param meter this worker's own
   * @param mayTake whether it may take a batch now; if not, others do
   * @param abandonedRunEnded called on the worker when a run that was abandoned has ended, and its
   *     session is closed
   */
  public ModelWorkerVerticle(
      ModelWorkerState work,
      ModelSession session,
      InstancePermit permit,
      RunMeter meter,
      Predicate<ModelWorkerVerticle> mayTake,
      Consumer<ModelWorkerVerticle> abandonedRunEnded) {
    this.work = work;
    this.mayTake = mayTake;
    this.meter = meter;
    this.abandonedRunEnded = abandonedRunEnded;
    this.session = session;
    this.permit = permit;
    this.limited = !permit.equals(InstancePermit.UNLIMITED);
    this.recovery =
        session instanceof ReopenableSession reopenable
            ? new SessionRecovery(reopenable, work.recovery(), work.nanoTime(), this::wake)
            : null;
    this.shortRuns = new InlineRunPolicy(work.inlineLimit());
    this.runner =
        new BatchRunner(
            work.rules(),
            session instanceof ReopenableSession executor ? executor : new SessionExecutor(session),
            meter,
            work.breaker(),
            work.nanoTime(),
            this::completed);
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
  }

  /** Completes when the worker has stopped, or when its run was abandoned: that may never end. */
  @Override
  public Future<Void> stop() {
    return stopped.future();
  }

  /** Puts the worker to work. Not before it is deployed. */
  public void begin() {
    context
        .<Void>executeBlocking(
            () -> {
              work();
              return null;
            },
            false)
        .onComplete(_ -> stopped.tryComplete());
  }

  /** Returns the session that this worker runs. */
  public ModelSession session() {
    return session;
  }

  InstancePermit permit() {
    return permit;
  }

  RunMeter meter() {
    return meter;
  }

  /**
   * Leaves the run under way to itself: the worker ends with it and closes the session.
   *
   * @param nanos how long it has run at least
   * @param why for its callers
   * @return false if there is no such run, or an event loop is in it
   */
  boolean abandonRun(long nanos, InferenceException why) {
    // If it changes afterwards, the run that was meant has ended.
    if (!holder.isWorker() || !watch().abandon(nanos, why, answers::send)) {
      return false;
    }
    if (recovery != null) {
      recovery.stop();
    }
    stopped.tryComplete();
    return true;
  }

  /** Sends off what runs before this one have answered, while a run takes long. */
  void sendDuringRun() {
    watch().duringRun(answers::send);
  }

  /** Opens the session, which was never open, before anything else. Before {@link #begin}. */
  void openFirst(String why) {
    if (recovery != null) {
      recovery.openFirst(why);
    }
  }

  /** Returns whether {@link #endRun} ends a run, as soon as its operator under way has ended. */
  boolean canEndRuns() {
    return session.isInterruptible();
  }

  /** Returns the cancellation of the run in flight on this worker. */
  public RunCancellation watch() {
    return runner.watch();
  }

  /** Ends the run under way by force, and the session with it; false if the session cannot. */
  boolean abort(String why) {
    return session.abort(why);
  }

  /**
   * Ends the run under way for good if the runtime can; false if it cannot, or was asked before.
   */
  boolean endRun(InferenceException why) {
    boolean ends = session.isInterruptible() && runner.watch().end(why);
    if (ends) {
      LOG.atWarn().addKeyValue("reason", why.getMessage()).log("a run that hangs is ended");
    }
    return ends;
  }

  /** Opens the session again before the next run. Any thread. */
  public void reopenSession() {
    if (recovery != null) {
      recovery.sessionFails();
    }
  }

  /** Makes sure that a thread polls the queue. False if one does already. */
  public boolean wake() {
    if (!holder.tryAcquireForWorker()) {
      return false;
    }
    LockSupport.unpark(thread);
    return true;
  }

  /** Lets the worker go when nothing waits any more. */
  public void finish() {
    finishing = true;
    if (recovery != null) {
      recovery.stop();
    }
    LockSupport.unpark(thread);
  }

  /** Returns whether it waits to be woken. */
  boolean isResting() {
    return holder.isNone();
  }

  /** Lets the worker go if it rests; false if it does not. */
  boolean finishIfResting() {
    if (!holder.tryAcquireForWorker()) {
      return false;
    }
    finish();
    return true;
  }

  /**
   * Takes and runs batches for as long as the worker lives: it keeps its thread, since handing
   * tasks to a pool costs more.
   */
  private void work() {
    thread = Thread.currentThread();
    while (!finishing) {
      try {
        drain();
      } catch (RuntimeException | Error e) {
        // Every run answers for itself; a mistake elsewhere must not leave the model without a
        // worker.
        LOG.error("a model's worker failed and goes on", e);
      }
      if (watch().isAbandoned()) {
        leaveForGood();
        return;
      }
      rest();
    }
  }

  /** The run that was abandoned has ended: another worker has this one's place. */
  private void leaveForGood() {
    // Set where its thread pool was closed meanwhile.
    var _ = Thread.interrupted();
    try {
      session.close();
    } finally {
      abandonedRunEnded.accept(this);
    }
  }

  /** Parks until another thread unparks it. */
  private void rest() {
    releasePermit(false);
    release();
    while (!holder.isWorker() && !finishing) {
      LockSupport.park(this);
    }
  }

  /** Releases the session, unless threads that found it held have left work for its worker. */
  private void release() {
    if (holder.release()) {
      LockSupport.unpark(thread);
    }
  }

  private boolean isNeeded() {
    return needsRecovery() || (work.batcher().needsWorker() && mayTake.test(this));
  }

  private void drain() {
    recover();
    if (!batchIsLeft && !mayTake.test(this)) {
      return;
    }
    answers.begin(work.nanoTime().getAsLong());
    BatchDecision departure = batchIsLeft ? BatchDecision.DISPATCH : take();
    batchIsLeft = false;
    while (departure != BatchDecision.IDLE) {
      if (departure == BatchDecision.DISPATCH) {
        wakeForTheRest();
      }
      run();
      if (watch().isAbandoned()) {
        break;
      }
      sendOrWait(departure);
      recover();
      if (departure == BatchDecision.DISPATCH && !mayTake.test(this)) {
        wakeForTheRest();
        answers.send();
        return;
      }
      departure = take();
    }
    if (!watch().isAbandoned()) {
      run();
    }
    answers.send();
  }

  /**
   * Wakes another worker for what this one leaves in the queue. Also for the next steps of streams
   * whose last ones ran here: nothing that arrives would wake a worker for them.
   */
  private void wakeForTheRest() {
    if (work.batcher().needsWorker()) {
      work.wakeOne().run();
    }
  }

  /** Returns whether its session is lost, and is to be opened. Any thread. */
  boolean needsRecovery() {
    return recovery != null && recovery.isNeeded();
  }

  /** Opens the session again if that is necessary. What waits in the queue is left to others. */
  private void recover() {
    if (recovery != null && recovery.isNeeded()) {
      answers.send();
      releasePermit(false);
      recovery.recover();
    }
  }

  private BatchDecision take() {
    if (!work.batcher().isEmpty()) {
      awaitPermit();
    }
    BatchDecision departure = work.batcher().take(batch);
    if (departure == BatchDecision.DISPATCH) {
      awaitPermit();
    } else {
      releasePermit(false);
    }
    return departure;
  }

  /** Requests wait in the queue meanwhile, and answers are not held back. */
  private void awaitPermit() {
    if (limited && !permit.tryAcquire()) {
      answers.send();
      permit.acquire();
    }
  }

  private void releasePermit(boolean ran) {
    if (limited) {
      permit.release(ran, ran && !work.batcher().isEmpty());
    }
  }

  private void run() {
    try {
      runBatch();
    } finally {
      // The permit of a run that was abandoned has passed to another worker.
      if (!watch().isAbandoned()) {
        releasePermit(true);
      }
    }
  }

  private void runBatch() {
    if (batch.members().isEmpty()) {
      runner.run(batch);
    } else if (work.inlineLimit().isNever()) {
      runner.run(batch);
      work.policy().learn(meter.computeNanos());
    } else {
      long size = shortRuns.size(batch.members());
      long begun = work.nanoTime().getAsLong();
      runner.run(batch);
      work.policy().learn(meter.computeNanos());
      shortRuns.learn(size, runner.endNanos() - begun);
    }
  }

  /**
   * A stream goes on here, so that its next step is in the queue before the next batch is taken.
   */
  private void completed(PendingRequest request) {
    if (request.onCompletion()) {
      answers.add(request);
    }
  }

  private void sendOrWait(BatchDecision departure) {
    long now = runner.endNanos();
    if (departure != BatchDecision.DISPATCH || answers.isOver(now)) {
      answers.send();
      answers.begin(now);
    }
    if (departure == BatchDecision.WAIT) {
      LockSupport.parkNanos(this, batch.waitNanos());
      answers.begin(work.nanoTime().getAsLong());
    }
  }

  /**
   * Does the worker's work as long as that is short, on this event loop and at once. Not for models
   * whose requests wait for a batch delay.
   *
   * @return false if the worker does not rest
   */
  public boolean tryRunInline(Context eventLoop) {
    if (!holder.tryAcquireForEventLoop()) {
      return false;
    }
    boolean done = false;
    try {
      done = runWhatIsShort();
    } finally {
      PendingRequests own = answers.takeOut(eventLoop);
      answers.send();
      if (done) {
        release();
      } else {
        holder.handOverToWorker();
        LockSupport.unpark(thread);
      }
      own.deliverAll();
    }
    return true;
  }

  /** False if the worker is to go on. */
  private boolean runWhatIsShort() {
    long until = work.nanoTime().getAsLong() + MAX_INLINE_NANOS;
    while (!needsRecovery() && work.nanoTime().getAsLong() - until < 0) {
      if (take() == BatchDecision.IDLE) {
        run();
        return true;
      }
      if (!shortRuns.holds(shortRuns.size(batch.members()))) {
        batchIsLeft = true;
        return false;
      }
      run();
    }
    return false;
  }
}
