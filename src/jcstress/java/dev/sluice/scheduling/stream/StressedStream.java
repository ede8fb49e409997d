package dev.sluice.scheduling.stream;

import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.stress.StressedRequests;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.openjdk.jcstress.infra.results.II_Result;

/** A stream whose first step has been taken from the queue by a worker. */
final class StressedStream {
  private static final ModelId MODEL = new ModelId("m", 1);
  private static final VersionMeter METER = Telemetry.unseen().version(MODEL);
  private static final CircuitBreaker BREAKER =
      new CircuitBreaker(MODEL, BreakerConfig.DEFAULT, () -> 0);

  final ModelQueue queue = new ModelQueue(new QueueConfig(4, Duration.ZERO, 1, 1));
  final CountedSteps steps;
  final QueuedStream stream;
  private final PendingRequest step;
  private volatile boolean answered;

  StressedStream() {
    this(1);
  }

  /**
   * @param demand steps that are asked for, the first one among them
   */
  StressedStream(long demand) {
    InferenceRequest request = StressedRequests.request();
    steps = new CountedSteps(request, Integer.MAX_VALUE);
    var cancellable =
        new CancellableQueue(
            queue,
            METER,
            () -> {},
            BREAKER,
            TestContexts.of(StressedRequests.EVENT_LOOP.owner()),
            () -> 0);
    var admission = new StreamAdmission(queue, cancellable, _ -> 1, _ -> {}, METER, () -> 0, 1);
    stream =
        new QueuedStream(admission, request, steps, new Ignoring(), StressedRequests.EVENT_LOOP);
    stream.request(demand);
    step = queue.takeAll().getFirst();
  }

  /** Answers the step, as its worker does. */
  void run() {
    answered = run(step);
  }

  private static boolean run(PendingRequest step) {
    InferenceRequest ran = step.request();
    step.complete(
        new InferenceResponse(ran.model().id(), ran.signature(), List.of(), Map.of(), false));
    return step.onCompletion();
  }

  /** Preempts the stream, as who holds the queue does. */
  void preempt() {
    stream.preempt();
  }

  /** Counts how often the stream freed its caches, and the steps that are queued in the end. */
  void countPreemption(II_Result result) {
    settle();
    result.r1 = steps.recomputed();
    result.r2 = queue.takeAll().size();
  }

  /** Waits until the event loop has done what it was given before. */
  private static void settle() {
    var settled = new CompletableFuture<Void>();
    StressedRequests.EVENT_LOOP.runOnContext(_ -> settled.complete(null));
    settled.join();
  }

  /** Delivers what the worker has answered; returns how many steps it left in the queue. */
  int deliver() {
    if (answered) {
      step.deliver();
    }
    List<PendingRequest> queued = queue.takeAll();
    for (PendingRequest next : queued) {
      if (next.isAbandoned(0)) {
        next.complete(next.abandonedInRun(0));
        next.onCompletion();
      }
    }
    return queued.size();
  }

  private static final class Ignoring implements Flow.Subscriber<InferenceResponse> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(InferenceResponse response) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
