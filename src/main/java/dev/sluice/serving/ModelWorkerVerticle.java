package dev.sluice.serving;

import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.Batch;
import dev.sluice.scheduling.batching.BatchRunner;
import dev.sluice.scheduling.batching.Departure;
import dev.sluice.scheduling.batching.RunWatch;
import dev.sluice.scheduling.queue.Pending;
import dev.sluice.telemetry.RunMeter;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one session of a model and runs what waits in the model's queue. The only place where
 * requests leave event loops and answers go home.
 *
 * <p>Threads: everything private runs on the verticle's worker, which it keeps as long as it is
 * deployed; {@link #begin}, {@link #wake}, {@link #finish} and {@link #watch} are for any thread.
 * The worker parks while nothing waits, or while what waits wants company.
 */
final class ModelWorkerVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(ModelWorkerVerticle.class);

  private final ModelWork work;
  private final BatchRunner runner;
  private final Batch batch = new Batch();
  private final AnswersHome answers = new AnswersHome();
  private final AnswerDelay delay = new AnswerDelay();
  private final AtomicBoolean awake = new AtomicBoolean(true);
  private volatile @Nullable Thread thread;
  private volatile boolean finishing;

  /**
   * @param meter this worker's own
   */
  ModelWorkerVerticle(ModelWork work, ModelSession session, RunMeter meter) {
    this.work = work;
    this.runner =
        new BatchRunner(
            work.rules(),
            new SessionExecutor(session),
            meter,
            work.nanoTime(),
            this::decided,
            work.ticker()::start);
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
  }

  /** Puts the worker to work. Not before it is deployed: deploying takes a turn of its thread. */
  void begin() {
    context.runOnContext(_ -> work());
  }

  /** What this worker is running. */
  RunWatch watch() {
    return runner.watch();
  }

  /** Makes sure that the worker looks at the queue. False if it is at it already. */
  boolean wake() {
    if (awake.get() || !awake.compareAndSet(false, true)) {
      return false;
    }
    LockSupport.unpark(thread);
    return true;
  }

  /** Lets the worker go when nothing waits any more. */
  void finish() {
    finishing = true;
    LockSupport.unpark(thread);
  }

  /** The worker's whole life: it keeps its thread, since handing tasks to a pool costs more. */
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
      rest();
    }
  }

  /** Parks until somebody calls. */
  private void rest() {
    awake.set(false);
    // Whoever offered between the last look and the line above saw the worker awake and went away.
    if (work.batcher().needsWorker()) {
      awake.set(true);
    }
    while (!awake.get() && !finishing) {
      LockSupport.park(this);
    }
  }

  private void drain() {
    delay.begin(work.nanoTime().getAsLong());
    Departure departure = Departure.LEAVES;
    while (departure != Departure.NONE) {
      departure = work.batcher().take(batch);
      if (departure == Departure.LEAVES && work.batcher().needsWorker()) {
        work.wakeOne().run();
      }
      runner.run(batch);
      sendOrWait(departure);
    }
  }

  /**
   * A stream goes on here, so that its next step is in the queue before the next batch is taken.
   */
  private void decided(Pending request) {
    if (request.settle()) {
      answers.add(request);
      delay.add(request);
    }
  }

  private void sendOrWait(Departure departure) {
    long now = work.nanoTime().getAsLong();
    if (departure != Departure.LEAVES || delay.isOver(now)) {
      answers.send();
      delay.begin(now);
    }
    if (departure == Departure.WAITS) {
      LockSupport.parkNanos(this, batch.waitNanos());
      delay.begin(work.nanoTime().getAsLong());
    }
  }
}
