package dev.sluice.scheduling.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.queue.CancellableQueue;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Streams on a real event loop whose steps the test runs, in place of a worker. */
@ExtendWith(VertxExtension.class)
@Timeout(30)
class QueuedStreamsTest {
  private static final ModelId MODEL = new ModelId("fake", 1);
  private static final int MOST_STREAMS = 2;

  private final FakeModelLease model = new FakeModelLease(MODEL, FakeSession.METADATA);
  private final ModelQueue queue = new ModelQueue(new QueueConfig(16, Duration.ZERO, 1, 1));
  private final VersionMeter meter = Telemetry.unseen().version(MODEL);
  private Context eventLoop;
  private QueuedStreams streams;
  private UnaryOperator<CountedSteps> plan = steps -> steps;
  private int count = 3;
  private @Nullable CountedSteps steps;

  @BeforeEach
  void open(Vertx vertx) {
    eventLoop = vertx.getOrCreateContext();
    var breaker = new CircuitBreaker(MODEL, BreakerConfig.DEFAULT, System::nanoTime);
    var cancellable =
        new CancellableQueue(
            queue, meter, () -> {}, breaker, TestContexts.of(vertx), System::nanoTime);
    streams =
        new QueuedStreams(
            TestContexts.of(vertx),
            this::begin,
            queue,
            cancellable,
            _ -> 0,
            _ -> {},
            meter,
            System::nanoTime,
            MOST_STREAMS);
  }

  private StreamSteps begin(InferenceRequest request) {
    steps = plan.apply(new CountedSteps(request, count));
    return steps;
  }

  private StreamReader stream() throws Exception {
    return stream(Deadline.NONE);
  }

  private StreamReader stream(Deadline deadline) throws Exception {
    var request =
        new InferenceRequest(
            model.acquire(), FakeSession.SIGNATURE, List.of(), List.of(), deadline, "r");
    StreamReader reader = StreamReader.open(eventLoop, opened -> streams.stream(request, opened));
    turn();
    return reader;
  }

  /** Waits until the event loop has done what it was given before. */
  private void turn() throws Exception {
    Promise<Void> turned = Promise.promise();
    eventLoop.runOnContext(_ -> turned.complete());
    await(turned.future());
  }

  private static void await(Future<Void> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get();
  }

  private PendingRequest next() throws Exception {
    turn();
    List<PendingRequest> queued = queue.takeAll();
    assertThat(queued).hasSize(1);
    return queued.getFirst();
  }

  /** Runs a step, as a worker does: it decides about the next one before the answer is sent. */
  private void run(PendingRequest step, float answer) throws Exception {
    step.complete(
        new InferenceResponse(
            MODEL,
            FakeSession.SIGNATURE,
            List.of(new NamedTensor("y", Tensors.floats(Shape.of(1), answer))),
            Map.of(),
            false));
    finish(step);
  }

  private void finish(PendingRequest step) throws Exception {
    if (step.onCompletion()) {
      eventLoop.runOnContext(_ -> step.deliver());
    }
    turn();
  }

  private static float number(StreamReader reader) throws InterruptedException {
    return reader.next().getFirst()[0];
  }

  private void requireNothingHeld() throws Exception {
    turn();
    assertThat(queue.takeAll()).isEmpty();
    assertThat(model.leases()).isZero();
    assertThat(Objects.requireNonNull(steps).closed()).isEqualTo(1);
  }

  private void requireFailed(FailureReason reason) {
    assertThat(meter.answered().count()).isZero();
    assertThat(meter.failures(reason)).isEqualTo(1);
    assertThat(meter.statistics().requests().fail().count()).isEqualTo(1);
  }

  @Test
  void streamEndsWithItsLastStep() throws Throwable {
    StreamReader reader = stream().ask(5);
    for (int i = 0; i < count; i++) {
      run(next(), i);
      assertThat(number(reader)).isEqualTo(i);
    }
    assertThat(reader.end().hadLast()).isTrue();
    requireNothingHeld();
    assertThat(meter.answered().count()).isEqualTo(1);
    assertThat(meter.statistics().requests().fail().count()).isZero();
  }

  @Test
  void noStepIsQueuedWithoutDemand() throws Throwable {
    StreamReader reader = stream();
    assertThat(queue.takeAll()).isEmpty();
    reader.ask(1);
    run(next(), 1);
    assertThat(queue.takeAll()).isEmpty();
    reader.ask(2);
    run(next(), 2);
    run(next(), 3);
    reader.end();
    requireNothingHeld();
  }

  @Test
  void stepThatSendsNothingTakesNoDemand() throws Throwable {
    plan = steps -> steps.keeping(0);
    StreamReader reader = stream().ask(1);
    run(next(), 1);
    assertThat(reader.waiting()).isZero();
    run(next(), 2);
    assertThat(number(reader)).isEqualTo(2);
    assertThat(queue.takeAll()).isEmpty();
    reader.leave();
    requireNothingHeld();
  }

  @Test
  void streamWithoutStepsEndsWhenItIsAskedForOne() throws Throwable {
    count = 0;
    stream().ask(1).end();
    requireNothingHeld();
  }

  @Test
  void streamBeyondTheLimitIsRejectedAndOthersGoOn() throws Throwable {
    StreamReader first = stream().ask(9);
    StreamReader second = stream();
    StreamReader third = stream();
    assertThatThrownBy(third::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
        .hasMessage("model 'fake' has 2 streams already (setting stream.max_streams)");
    assertThat(model.leases()).isEqualTo(MOST_STREAMS);
    second.leave();
    for (int i = 0; i < count; i++) {
      run(next(), i);
    }
    first.end();
    assertThat(model.leases()).isZero();
    stream().leave();
    turn();
    assertThat(model.leases()).isZero();
  }

  @Test
  void parkedStreamIsClosedWhenItIsCancelled() throws Throwable {
    StreamReader reader = stream().ask(1);
    run(next(), 1);
    reader.leave();
    requireNothingHeld();
    requireFailed(FailureReason.CANCELED);
  }

  @Test
  void streamThatIsCancelledWhileItsStepRunsIsClosedByTheWorker() throws Throwable {
    StreamReader reader = stream().ask(3);
    PendingRequest step = next();
    reader.leave();
    turn();
    assertThat(model.leases()).isEqualTo(1);
    assertThat(step.isAbandoned(System.nanoTime())).isTrue();
    step.complete(step.abandonedInRun(System.nanoTime()));
    finish(step);
    requireNothingHeld();
  }

  @Test
  void stepInTheQueueIsWithdrawnWhenItsStreamIsCancelled() throws Throwable {
    StreamReader reader = stream().ask(3);
    turn();
    assertThat(queue.size()).isEqualTo(1);
    reader.leave();
    turn();
    requireNothingHeld();
  }

  @Test
  void parkedStreamExpiresAtItsDeadline() throws Throwable {
    StreamReader reader = stream(Deadline.after(Duration.ofMillis(20), System.nanoTime()));
    assertThatThrownBy(reader::end)
        .isInstanceOfSatisfying(
            InferenceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    requireNothingHeld();
  }

  @Test
  void stepThatCannotBeMadeFailsTheStream() throws Throwable {
    plan = steps -> steps.breakingAt(1);
    StreamReader reader = stream().ask(3);
    run(next(), 1);
    assertThatThrownBy(reader::end).hasMessage("step 1 is broken");
    requireNothingHeld();
    requireFailed(FailureReason.BACKEND);
  }

  @Test
  void runThatFailsFailsTheStream() throws Throwable {
    StreamReader reader = stream().ask(3);
    run(next(), 1);
    PendingRequest step = next();
    step.complete(new InferenceException(ErrorCode.INTERNAL, "the run failed"));
    finish(step);
    assertThat(number(reader)).isEqualTo(1);
    assertThatThrownBy(reader::end).hasMessage("the run failed");
    requireNothingHeld();
  }

  @Test
  void streamOfAModelThatIsUnloadedFailsBehindTheAnswerOfItsStep() throws Throwable {
    StreamReader reader = stream().ask(3);
    PendingRequest step = next();
    queue.close();
    run(step, 7);
    assertThat(number(reader)).isEqualTo(7);
    assertThatThrownBy(reader::end).hasMessage("model 'fake/1' is being unloaded");
    requireNothingHeld();
    requireFailed(FailureReason.OTHER);
  }
}
