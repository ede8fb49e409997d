package dev.sluice.serving;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.Pending;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one session of a model and runs what waits in the model's queue, until nothing waits. The
 * only place where requests leave event loops and answers go home.
 *
 * <p>Threads: everything private runs on the verticle's worker; {@link #wake} is for any thread.
 */
final class ModelWorkerVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(ModelWorkerVerticle.class);

  /** Answers wait at most about so long for others to the same event loop. */
  private static final long MAX_ANSWER_DELAY_NANOS = 50_000;

  private final ModelQueue queue;
  private final ModelSession session;
  private final LongSupplier nanoTime;
  private final AnswersHome answers = new AnswersHome();
  private final AtomicBoolean awake = new AtomicBoolean();

  ModelWorkerVerticle(ModelQueue queue, ModelSession session, LongSupplier nanoTime) {
    this.queue = queue;
    this.session = session;
    this.nanoTime = nanoTime;
  }

  @Override
  public Future<?> start() {
    return Future.succeededFuture();
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
    runAllThatWait();
    awake.set(false);
    // Whoever offered between the last look and the line above saw the worker awake and went away.
    if (queue.size() > 0) {
      wake();
    }
  }

  private void runAllThatWait() {
    long unsentSince = nanoTime.getAsLong();
    for (Pending next = queue.poll(); next != null; next = queue.poll()) {
      answer(next);
      long now = nanoTime.getAsLong();
      if (now - unsentSince > MAX_ANSWER_DELAY_NANOS) {
        answers.send();
        unsentSince = now;
      }
    }
    answers.send();
  }

  private void answer(Pending pending) {
    try {
      requireWanted(pending);
      answers.succeed(pending, run(pending.request()));
    } catch (InferenceException e) {
      answers.fail(pending, e);
    } catch (RuntimeException | Error e) {
      LOG.atError()
          .addKeyValue("request", pending.request().requestId())
          .addKeyValue("model", pending.request().model().id())
          .setCause(e)
          .log("the model could not be run");
      answers.fail(pending, new InferenceException(ErrorCode.INTERNAL, "the model failed"));
    }
  }

  private void requireWanted(Pending pending) {
    if (pending.request().isCancelled()) {
      throw new InferenceException(ErrorCode.CANCELLED, "the caller left before the model ran");
    }
    long now = nanoTime.getAsLong();
    if (pending.request().deadline().hasPassed(now)) {
      long waitedMillis = (now - pending.sinceNanos()) / 1_000_000;
      throw new InferenceException(
          ErrorCode.DEADLINE_EXCEEDED,
          "Request timeout expired after " + waitedMillis + " ms in the queue");
    }
  }

  private InferenceResponse run(InferenceRequest request) {
    Signature signature = request.signature();
    List<TensorSpec> wanted =
        request.outputs().isEmpty()
            ? signature.supportedOutputs()
            : request.outputs().stream().map(name -> signature.output(name).orElseThrow()).toList();
    List<NamedTensor> outputs = session.run(signature, request.inputs(), wanted);
    return new InferenceResponse(request.model().id(), signature, outputs);
  }
}
