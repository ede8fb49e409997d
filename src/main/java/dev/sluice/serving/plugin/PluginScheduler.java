package dev.sluice.serving.plugin;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.extension.BatchModel;
import dev.sluice.extension.Model;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.QueueScheduler;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.batching.Batch;
import dev.sluice.scheduling.batching.BatchDecision;
import dev.sluice.scheduling.batching.DynamicBatcher;
import dev.sluice.scheduling.batching.JoinRules;
import dev.sluice.scheduling.batching.WholeRequestRules;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.meter.VersionMeter;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/*
 * Who makes the calls
 *
 * Looks.   Each request that no thread waits for has a thread of the plugin look at the queue, once. It
 *          takes a batch, the requests of one call, and has another one look if it leaves any.
 * Delay.   A thread that waits for a batch to fill is one of those that calls run on.
 * Stuck.   A call that was given up keeps its thread, and with it its look. Those behind it get a thread
 *          that takes its place.
 */

/**
 * Answers requests by a plugin, in the order and the batches of the queue that models of files
 * have: a {@link BatchModel} takes several in one call, any other model one.
 */
public final class PluginScheduler implements Scheduler {
  private final PluginVersion version;
  private final Model model;
  private final PluginResponses answers;
  private final ModelQueue queue;
  private final DynamicBatcher batcher;
  private final CircuitBreaker breaker;
  private final CancellableQueue cancellableQueue;
  private final QueueScheduler waiting;

  /** Makes the scheduler of a version. */
  public PluginScheduler(
      PluginVersion version,
      Model model,
      PluginResponses answers,
      ModelConfig config,
      VersionMeter meter,
      Runnable expired) {
    this.version = version;
    this.model = model;
    this.answers = answers;
    JoinRules rules = rules(model, config);
    this.queue = new ModelQueue(config.queue().withMore(running(model, config)));
    this.batcher = new DynamicBatcher(queue, rules, config.batching(), version.nanoTime());
    meter.queue(queue::size);
    this.breaker = new CircuitBreaker(meter.model(), config.breaker(), version.nanoTime());
    this.cancellableQueue =
        new CancellableQueue(
            queue, meter, expired, breaker, version.contexts(), version.nanoTime());
    this.waiting =
        new QueueScheduler(
            version.contexts(),
            queue,
            rules::rows,
            this::arrived,
            meter,
            version.nanoTime(),
            cancellableQueue);
  }

  private static JoinRules rules(Model model, ModelConfig config) {
    long bytes = config.batching().maxBatchBytes();
    return new WholeRequestRules(together(model, config), bytes == 0 ? Long.MAX_VALUE : bytes);
  }

  private static int together(Model model, ModelConfig config) {
    return model instanceof BatchModel ? Math.max(1, config.batching().maxBatchSize()) : 1;
  }

  /** Returns how many requests of a plugin run at once. */
  public static int running(Model model, ModelConfig config) {
    return (int)
        Math.min(
            Integer.MAX_VALUE / 4, (long) PluginVersion.calls(config) * together(model, config));
  }

  @Override
  public Future<InferenceResponse> submit(InferenceRequest request) {
    InferenceException refusal = version.answering().refusal();
    if (refusal != null) {
      version.meters().failed(refusal);
      request.close();
      return Future.failedFuture(refusal);
    }
    Future<InferenceResponse> answer = waiting.submit(request);
    if (request.deadline().exists() && !answer.isComplete()) {
      expireLater(request, answer);
    }
    return answer;
  }

  private void expireLater(InferenceRequest request, Future<InferenceResponse> answer) {
    long left = request.deadline().nanos() - version.nanoTime().getAsLong();
    var timer = version.answering().later(request::expire, Math.max(0, left));
    answer.onComplete(_ -> timer.cancel(false));
  }

  private void arrived(PendingRequest request) {
    if (!batcher.arrived(request)) {
      version.answering().look(this::look);
    }
  }

  /** Takes one batch and runs it. On a thread of the plugin. */
  private void look() {
    var batch = new Batch();
    BatchDecision decision = take(batch);
    while (decision == BatchDecision.WAIT) {
      LockSupport.parkNanos(this, batch.waitNanos());
      decision = take(batch);
    }
    if (decision == BatchDecision.DISPATCH) {
      lookForTheRest();
      run(List.copyOf(batch.members()));
      lookForTheRest();
    }
  }

  private BatchDecision take(Batch batch) {
    BatchDecision decision = batcher.take(batch);
    long now = version.nanoTime().getAsLong();
    for (PendingRequest abandoned : batch.abandoned()) {
      PluginBatch.fail(version, abandoned, abandoned.abandonedInQueue(now));
    }
    return decision;
  }

  private void lookForTheRest() {
    if (batcher.needsWorker()) {
      version.answering().look(this::look);
    }
  }

  private void run(List<PendingRequest> members) {
    if (!runs(members)) {
      members.forEach(member -> runs(List.of(member)));
    }
  }

  private boolean runs(List<PendingRequest> members) {
    return new PluginBatch(version, model, answers, members).runs();
  }

  /** Answers those who wait, and those whose calls are under way, with UNAVAILABLE. Any thread. */
  public void giveUp(String why) {
    breaker.stop(why);
    cancellableQueue.refuseWaiting();
    InferenceException refusal = breaker.refusal();
    if (refusal != null) {
      version.stop(refusal);
    }
  }

  /** Answers what still waits. The threads are closed when the version is. */
  @Override
  public void close() {
    waiting.close();
    batcher.interrupt();
  }
}
