package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.AdmissionConfig;
import dev.sluice.config.BatchingConfig;
import dev.sluice.config.ModelConfig;
import dev.sluice.config.QueueConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ServedModel;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.VersionMeter;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServableModelTest {
  private static final int CAPACITY = 2;

  private final Vertx vertx = Vertx.vertx();
  private final FakeSession session = new FakeSession();
  private final AtomicLong clock = new AtomicLong(1);
  private final Telemetry telemetry = Telemetry.unseen();
  private final AtomicBoolean answeredAtHome = new AtomicBoolean();
  private final AtomicInteger loansBack = new AtomicInteger();
  private long blocksBefore;
  private Context home;
  private ServableModel model;

  @BeforeEach
  void start() {
    blocksBefore = TensorMemory.openBlocks();
    home = vertx.getOrCreateContext();
    model = start(BatchingConfig.DEFAULT, CAPACITY, List.of(session), clock::get);
  }

  private ServableModel start(
      BatchingConfig batching, int capacity, List<ModelSession> sessions, LongSupplier nanoTime) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            batching,
            new QueueConfig(capacity, Duration.ZERO, 1, 1),
            sessions.size(),
            new AdmissionConfig(false, Duration.ofMillis(10)),
            false,
            defaults.explain(),
            defaults.runtimes());
    VersionMeter meter = telemetry.version(new ModelId("test", 1));
    return ServableModel.start(
        session.metadata(), sessions, config, meter, "test-model", vertx, nanoTime);
  }

  /** Replaces the model by one with these settings. */
  private void restart(BatchingConfig batching, List<ModelSession> sessions) {
    model.close();
    model = start(batching, 10_000, sessions, clock::get);
  }

  private static BatchingConfig joining(int largest, Duration delay) {
    return new BatchingConfig(largest, true, delay, List.of(), List.of());
  }

  @AfterEach
  void nothingIsLeftOpen() {
    model.close();
    assertThat(session.isClosed()).isTrue();
    join(vertx.close());
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** A loan that counts its return. */
  private final class Loan implements ServedModel {
    @Override
    public ModelId id() {
      return new ModelId("fake", 1);
    }

    @Override
    public ModelMetadata metadata() {
      return session.metadata();
    }

    @Override
    public void release() {
      loansBack.incrementAndGet();
    }
  }

  private InferenceRequest request(float x, Deadline deadline) {
    Tensor tensor = Tensor.allocate(DataType.FP32, Shape.of(1));
    tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, 0, x);
    var loan = new Loan();
    Signature signature = session.metadata().signature("").orElseThrow();
    return new InferenceRequest(
        loan, signature, List.of(new NamedTensor("x", tensor)), List.of(), deadline, "r");
  }

  /** Submits on the event loop, as a face does. */
  private Future<InferenceResponse> submit(InferenceRequest request) {
    Promise<InferenceResponse> answer = Promise.promise();
    home.runOnContext(_ ->
        model
            .scheduler()
            .submit(request)
            .onComplete(_ -> answeredAtHome.set(home.equals(Vertx.currentContext())))
            .onComplete(answer));
    return answer.future();
  }

  private static float value(InferenceResponse response) {
    try (response) {
      return response.outputs().getFirst().tensor().data().get(ValueLayout.JAVA_FLOAT, 0);
    }
  }

  private static ErrorCode failure(Future<InferenceResponse> answer) {
    try {
      join(answer).close();
      throw new AssertionError("it was answered");
    } catch (CompletionException e) {
      return ErrorCode.of(Objects.requireNonNull(e.getCause()));
    }
  }

  @Test
  void aRequestIsAnsweredOnTheEventLoopThatAskedAndItsLoanIsGivenBack() {
    assertThat(value(join(submit(request(41, Deadline.NONE))))).isEqualTo(42f);
    assertThat(answeredAtHome).isTrue();
    assertThat(loansBack).hasValue(1);
  }

  @Test
  void aFullQueueRefusesAtOnceAndWhatWasAcceptedIsAnswered() throws InterruptedException {
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    Future<InferenceResponse> second = submit(request(2, Deadline.NONE));
    Future<InferenceResponse> third = submit(request(3, Deadline.NONE));
    assertThat(failure(submit(request(4, Deadline.NONE)))).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    gate.countDown();
    assertThat(value(join(running))).isEqualTo(2f);
    assertThat(value(join(second))).isEqualTo(3f);
    assertThat(value(join(third))).isEqualTo(4f);
    assertThat(loansBack).hasValue(4);
  }

  @Test
  void aCallerWhoLeavesBeforeItsTurnNeverReachesTheModel() throws InterruptedException {
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    InferenceRequest abandoned = request(2, Deadline.NONE);
    Future<InferenceResponse> waiting = submit(abandoned);
    abandoned.cancel();
    gate.countDown();
    assertThat(failure(waiting)).isEqualTo(ErrorCode.CANCELLED);
    assertThat(value(join(running))).isEqualTo(2f);
    assertThat(session.runs()).isEqualTo(1);
  }

  @Test
  void aRequestWhoseDeadlinePassesInTheQueueNeverReachesTheModel() throws InterruptedException {
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    Future<InferenceResponse> late = submit(request(2, Deadline.at(1_000)));
    clock.set(2_000);
    gate.countDown();
    assertThat(failure(late)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
    assertThat(value(join(running))).isEqualTo(2f);
    assertThat(session.runs()).isEqualTo(1);
  }

  @Test
  void aRunThatFailsFailsItsOwnCallerAndNobodyElse() {
    session.failWith(InferenceException.invalid("no"));
    assertThat(failure(submit(request(1, Deadline.NONE)))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(loansBack).hasValue(1);
  }

  @Test
  void whatComesWhileTheModelRunsIsJoinedIntoTheNextRun() throws InterruptedException {
    restart(joining(8, Duration.ZERO), List.of(session));
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    List<Future<InferenceResponse>> waiting = new ArrayList<>();
    for (int i = 2; i < 7; i++) {
      waiting.add(submit(request(i, Deadline.NONE)));
    }
    awaitHome();
    gate.countDown();
    assertThat(value(join(running))).isEqualTo(2f);
    for (int i = 0; i < waiting.size(); i++) {
      assertThat(value(join(waiting.get(i)))).isEqualTo(i + 3f);
    }
    assertThat(session.sizes()).containsExactly(1L, 5L);
  }

  /** Blocks until the event loop has done all that it was asked to before. */
  private void awaitHome() throws InterruptedException {
    var done = new CountDownLatch(1);
    home.runOnContext(_ -> done.countDown());
    done.await();
  }

  @Test
  void theRequestThatFillsABatchWakesTheWorkerThatWaitsForCompany() {
    restart(joining(3, Duration.ofDays(1)), List.of(session, new FakeSession()));
    List<Future<InferenceResponse>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(submit(request(i, Deadline.NONE)));
    }
    for (int i = 0; i < waiting.size(); i++) {
      assertThat(value(join(waiting.get(i)))).isEqualTo(i + 1f);
    }
  }

  @Test
  void closingAnswersEverythingStillWaitingForCompany() throws InterruptedException {
    restart(joining(8, Duration.ofDays(1)), List.of(session));
    Future<InferenceResponse> waiting = submit(request(1, Deadline.NONE));
    awaitHome();
    model.scheduler().close();
    assertThat(failure(waiting)).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(session.runs()).isZero();
  }

  @Test
  void aRunWhoseOnlyCallerLeavesIsInterrupted() throws InterruptedException {
    session.hold();
    InferenceRequest abandoned = request(1, Deadline.NONE);
    Future<InferenceResponse> running = submit(abandoned);
    session.awaitRun();
    abandoned.cancel();
    session.awaitInterrupt();
    assertThat(failure(running)).isEqualTo(ErrorCode.CANCELLED);
  }

  @Test
  void aRunThatPassesItsOnlyDeadlineIsInterrupted() throws InterruptedException {
    session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.at(1_000)));
    session.awaitRun();
    clock.set(1_000);
    session.awaitInterrupt();
    assertThat(failure(running)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
  }

  @Test
  void everyRequestIsAnsweredOnceWithSeveralWorkersAndJoining() {
    model.close();
    // Each look at this clock is later than the one before.
    model =
        start(
            joining(8, Duration.ofNanos(50)),
            10_000,
            List.of(session, new FakeSession()),
            clock::incrementAndGet);
    List<Future<InferenceResponse>> waiting = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      waiting.add(submit(request(i % 100 == 99 ? FakeSession.POISON : i % 100, Deadline.NONE)));
    }
    for (int i = 0; i < waiting.size(); i++) {
      if (i % 100 == 99) {
        assertThat(failure(waiting.get(i))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      } else {
        assertThat(value(join(waiting.get(i)))).isEqualTo(i % 100 + 1f);
      }
    }
    assertThat(loansBack).hasValue(waiting.size());
  }

  @Test
  void aClosedModelRefusesWhatComesAllTheSame() {
    model.scheduler().close();
    assertThat(failure(submit(request(1, Deadline.NONE)))).isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
