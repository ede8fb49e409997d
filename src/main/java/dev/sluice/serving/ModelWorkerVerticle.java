package dev.sluice.serving;

import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.batching.Batch;
import dev.sluice.scheduling.batching.BatchRunner;
import dev.sluice.scheduling.batching.Departure;
import dev.sluice.scheduling.batching.RunWatch;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Owns one session of a model and runs what waits in the model's queue, until nothing waits. The
 * only place where requests leave event loops and answers go home.
 *
 * <p>Threads: everything private runs on the verticle's worker; {@link #wake} and {@link #watch}
 * are for any thread. The worker parks only while requests wait for company.
 */
final class ModelWorkerVerticle extends VerticleBase {
  /** Answers wait at most about so long for others to the same event loop. */
  private static final long MAX_ANSWER_DELAY_NANOS = 50_000;

  private final ModelWork work;
  private final BatchRunner runner;
  private final Batch batch = new Batch();
  private final AnswersHome answers = new AnswersHome();
  private final AtomicBoolean awake = new AtomicBoolean();
  private long unsentSince;

  ModelWorkerVerticle(ModelWork work, ModelSession session) {
    this.work = work;
    this.runner =
        new BatchRunner(
            work.rules(),
            new SessionExecutor(session),
            work.nanoTime(),
            answers::add,
            work.ticker()::start);
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
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
    context.runOnContext(_ -> drain());
    return true;
  }

  private void drain() {
    unsentSince = work.nanoTime().getAsLong();
    Departure departure = Departure.LEAVES;
    while (departure != Departure.NONE) {
      departure = work.batcher().take(batch);
      if (departure == Departure.LEAVES && work.batcher().needsWorker()) {
        work.wakeOne().run();
      }
      runner.run(batch);
      sendOrWait(departure);
    }
    awake.set(false);
    // Whoever offered between the last look and the line above saw the worker awake and went away.
    if (work.batcher().needsWorker()) {
      wake();
    }
  }

  private void sendOrWait(Departure departure) {
    long now = work.nanoTime().getAsLong();
    if (departure != Departure.LEAVES || now - unsentSince > MAX_ANSWER_DELAY_NANOS) {
      answers.send();
      unsentSince = now;
    }
    if (departure == Departure.WAITS) {
      LockSupport.parkNanos(this, batch.waitNanos());
    }
  }
}
