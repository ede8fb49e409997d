package dev.sluice.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.AdmissionConfig;
import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RunTimeBasis;
import dev.sluice.scheduling.deadline.DeadlineWheels;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.serving.worker.ConcurrencyMonitor;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.ReopenableSession;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServableModelTest {
  private static final int CAPACITY = 2;
  private static final Duration INLINE_LIMIT = Duration.ofNanos(50_000);

  private final Vertx vertx = Vertx.vertx();
  private final FakeSession session = new FakeSession();
  private final AtomicLong clock = new AtomicLong(1);
  private final Telemetry telemetry = Telemetry.unseen();
  private final AtomicBoolean answeredOnCallerContext = new AtomicBoolean();
  private final AtomicInteger answeredElsewhere = new AtomicInteger();
  private final AtomicInteger releasedLeases = new AtomicInteger();
  private Context callerContext;
  private ServableModel model;

  @BeforeEach
  void start() {
    callerContext = vertx.getOrCreateContext();
    model = start(BatchingConfig.DEFAULT, CAPACITY, List.of(session), clock::get);
  }

  private ServableModel start(
      BatchingConfig batching, int capacity, List<ModelSession> sessions, LongSupplier nanoTime) {
    return start(batching, new QueueConfig(capacity, Duration.ZERO, 1, 1), sessions, nanoTime);
  }

  private ServableModel start(
      BatchingConfig batching,
      QueueConfig queue,
      List<ModelSession> sessions,
      LongSupplier nanoTime) {
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            batching,
            queue,
            sessions.size(),
            new AdmissionConfig(false, Duration.ofMillis(10), Duration.ofSeconds(10)),
            false,
            defaults.explain(),
            defaults.runtimes());
    VersionMeter meter = telemetry.version(new ModelId("test", 1));
    return ServableModel.start(
        session.metadata(),
        new ModelInstances(
            sessions,
            Collections.nCopies(sessions.size(), InstancePermit.UNLIMITED),
            this::openAnother),
        config,
        meter,
        new WorkerPool(
            TestContexts.of(vertx), "test-model", new ConcurrencyMonitor(vertx, 1), nanoTime));
  }

  private ModelSession openAnother() {
    throw new AssertionError("no run is abandoned here");
  }

  /** Replaces the model by one with these settings. */
  private void restart(BatchingConfig batching, List<ModelSession> sessions) {
    model.close();
    model = start(batching, 10_000, sessions, clock::get);
  }

  /** Replaces the model by one whose short runs are for event loops. */
  private void restartInline(
      BatchingConfig batching, List<ModelSession> sessions, LongSupplier nanoTime) {
    model.close();
    model =
        start(
            batching,
            new QueueConfig(10_000, Duration.ZERO, 1, 1, List.of(), Optional.of(INLINE_LIMIT)),
            sessions,
            nanoTime);
  }

  private static BatchingConfig joining(int largest, Duration delay) {
    return new BatchingConfig(largest, true, delay, List.of(), List.of());
  }

  @AfterEach
  void nothingIsLeftOpen() {
    model.close();
    assertThat(session.isClosed()).isTrue();
    join(vertx.close());
  }

  private static <T> T join(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  /** A loan that counts its return. */
  private final class FakeLease implements ModelLease {
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
      releasedLeases.incrementAndGet();
    }
  }

  private InferenceRequest request(float x, Deadline deadline) {
    return request(Tensors.floats(Shape.of(1), x), deadline);
  }

  private InferenceRequest request(Tensor tensor, Deadline deadline) {
    var lease = new FakeLease();
    Signature signature = session.metadata().signature("").orElseThrow();
    return new InferenceRequest(
        lease, signature, List.of(new NamedTensor("x", tensor)), List.of(), deadline, "r");
  }

  /** Submits on the event loop, as a face does. */
  private Future<InferenceResponse> submit(InferenceRequest request) {
    return submit(callerContext, request);
  }

  private Future<InferenceResponse> submit(Context eventLoop, InferenceRequest request) {
    Promise<InferenceResponse> answer = Promise.promise();
    eventLoop.runOnContext(_ ->
        model
            .scheduler()
            .submit(request)
            .onComplete(_ -> {
              answeredOnCallerContext.set(eventLoop.equals(Vertx.currentContext()));
              if (!answeredOnCallerContext.get()) {
                answeredElsewhere.incrementAndGet();
              }
            })
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
  void aRequestCompletesOnItsCallersEventLoopAndItsLeaseIsReleased() {
    assertThat(value(join(submit(request(41, Deadline.NONE))))).isEqualTo(42f);
    assertThat(answeredOnCallerContext).isTrue();
    assertThat(releasedLeases).hasValue(1);
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
    assertThat(releasedLeases).hasValue(4);
  }

  @Test
  void cancelledRequestThatWaitsNeverReachesTheModel() throws InterruptedException {
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
  void cancellingFreesThePlaceWhileTheModelRuns() throws InterruptedException {
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    List<InferenceRequest> left = List.of(request(2, Deadline.NONE), request(3, Deadline.NONE));
    List<Future<InferenceResponse>> leaving = left.stream().map(this::submit).toList();
    awaitCallerContext();
    left.forEach(InferenceRequest::cancel);
    leaving.forEach(each -> assertThat(failure(each)).isEqualTo(ErrorCode.CANCELLED));
    assertThat(releasedLeases).hasValue(2);
    Future<InferenceResponse> live = submit(request(4, Deadline.NONE));
    awaitCallerContext();
    gate.countDown();
    assertThat(value(join(live))).isEqualTo(5f);
    assertThat(value(join(running))).isEqualTo(2f);
    assertThat(session.runs()).isEqualTo(2);
  }

  @Test
  void aRequestThatHasWaitedForLongerThanItsQueueLetsItIsAnsweredWhileTheModelRuns()
      throws InterruptedException {
    model.close();
    model =
        start(
            BatchingConfig.DEFAULT,
            new QueueConfig(CAPACITY, Duration.ofMillis(20), 1, 1),
            List.of(session),
            System::nanoTime);
    CountDownLatch gate = session.hold();
    Future<InferenceResponse> running = submit(request(1, Deadline.NONE));
    session.awaitRun();
    Future<InferenceResponse> waiting = submit(request(2, Deadline.NONE));
    assertThat(failure(waiting)).isEqualTo(ErrorCode.UNAVAILABLE);
    gate.countDown();
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
  void aFailingRunFailsOnlyItsOwnCaller() {
    session.failWith(InferenceException.invalid("no"));
    assertThat(failure(submit(request(1, Deadline.NONE)))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(releasedLeases).hasValue(1);
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
    awaitCallerContext();
    gate.countDown();
    assertThat(value(join(running))).isEqualTo(2f);
    for (int i = 0; i < waiting.size(); i++) {
      assertThat(value(join(waiting.get(i)))).isEqualTo(i + 3f);
    }
    assertThat(session.sizes()).containsExactly(1L, 5L);
  }

  /** Blocks until the event loop has done all that it was asked to before. */
  private void awaitCallerContext() throws InterruptedException {
    var done = new CountDownLatch(1);
    callerContext.runOnContext(_ -> done.countDown());
    done.await();
  }

  @Test
  void theRequestThatFillsABatchEndsTheBatchDelay() {
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
  void closingCompletesEverythingThatWaitsForABatchDelay() throws InterruptedException {
    restart(joining(8, Duration.ofDays(1)), List.of(session));
    Future<InferenceResponse> waiting = submit(request(1, Deadline.NONE));
    awaitCallerContext();
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
    InferenceRequest request = request(1, Deadline.at(1_000));
    var deadlines = new DeadlineWheels(TestContexts.of(vertx), clock::get);
    Promise<InferenceResponse> answer = Promise.promise();
    callerContext.runOnContext(_ ->
        DeadlineResponse.of(request, model.scheduler(), callerContext, deadlines, clock::get)
            .onComplete(answer));
    Future<InferenceResponse> running = answer.future();
    session.awaitRun();
    clock.set(10_000_000);
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
    assertThat(releasedLeases).hasValue(waiting.size());
  }

  /** Asks until the worker rests when a request comes, and the event loop runs it. */
  private Thread learnShortRuns() {
    Thread eventLoop = thread(callerContext);
    do {
      assertThat(value(join(submit(request(1, Deadline.NONE))))).isEqualTo(2f);
    } while (!eventLoop.equals(session.thread()));
    return eventLoop;
  }

  private static Thread thread(Context eventLoop) {
    Promise<Thread> thread = Promise.promise();
    eventLoop.runOnContext(_ -> thread.complete(Thread.currentThread()));
    return join(thread.future());
  }

  @Test
  void withoutALimitNoEventLoopRunsAModel() {
    for (int i = 0; i < 100; i++) {
      value(join(submit(request(1, Deadline.NONE))));
      assertThat(session.thread()).isNotEqualTo(thread(callerContext));
    }
  }

  @Test
  void withoutASettingEventLoopsRunWhatSizesSayIsShort() {
    session.setRunTimeBasis(RunTimeBasis.SIZE);
    restart(BatchingConfig.DEFAULT, List.of(session));
    learnShortRuns();
    assertThat(answeredOnCallerContext).isTrue();
  }

  @Test
  void whatIsKnownToBeShortIsRunByTheEventLoopThatAsks() {
    restartInline(BatchingConfig.DEFAULT, List.of(session), clock::get);
    learnShortRuns();
    assertThat(answeredOnCallerContext).isTrue();
  }

  @Test
  void anEventLoopLeavesLargerRequestsThanItKnowsToTheWorker() {
    restartInline(BatchingConfig.DEFAULT, List.of(session), clock::get);
    Thread eventLoop = learnShortRuns();
    assertThat(value(join(submit(request(Tensors.floats(Shape.of(2), 4, 5), Deadline.NONE)))))
        .isEqualTo(5f);
    assertThat(session.thread()).isNotEqualTo(eventLoop);
    assertThat(answeredOnCallerContext).isTrue();
  }

  @Test
  void aRunThatTookLongSendsTheNextOneToTheWorker() {
    restartInline(BatchingConfig.DEFAULT, List.of(session), clock::get);
    Thread eventLoop = learnShortRuns();
    session.alsoRun(() -> clock.addAndGet(INLINE_LIMIT.toNanos() + 1));
    value(join(submit(request(1, Deadline.NONE))));
    value(join(submit(request(1, Deadline.NONE))));
    assertThat(session.thread()).isNotEqualTo(eventLoop);
    session.alsoRun(() -> {});
    learnShortRuns();
  }

  @Test
  void anEventLoopThatHasWorkedForLongLeavesTheRestToTheWorker() {
    restartInline(BatchingConfig.DEFAULT, List.of(session), clock::get);
    learnShortRuns();
    List<Thread> threads = new CopyOnWriteArrayList<>();
    session.alsoRun(() -> {
      threads.add(Thread.currentThread());
      clock.addAndGet(INLINE_LIMIT.toNanos());
    });
    List<Future<InferenceResponse>> answers = new ArrayList<>();
    Promise<Thread> turn = Promise.promise();
    callerContext.runOnContext(_ -> {
      for (int i = 0; i < 100; i++) {
        answers.add(model.scheduler().submit(request(i, Deadline.NONE)));
      }
      turn.complete(Thread.currentThread());
    });
    Thread eventLoop = join(turn.future());
    for (int i = 0; i < answers.size(); i++) {
      assertThat(value(join(answers.get(i)))).isEqualTo(i + 1f);
    }
    assertThat(threads.stream().filter(eventLoop::equals).count()).isLessThanOrEqualTo(20);
    assertThat(threads).hasSize(100);
  }

  @Test
  void aModelWithABatchDelayIsNotRunInline() {
    restartInline(joining(2, Duration.ofNanos(1)), List.of(session), clock::incrementAndGet);
    for (int i = 0; i < 100; i++) {
      value(join(submit(request(1, Deadline.NONE))));
      assertThat(session.thread()).isNotEqualTo(thread(callerContext));
    }
  }

  @Test
  void aFailingInlineRunFailsOnlyItsOwnCaller() {
    restartInline(BatchingConfig.DEFAULT, List.of(session), clock::get);
    learnShortRuns();
    assertThat(failure(submit(request(FakeSession.POISON, Deadline.NONE))))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(value(join(submit(request(1, Deadline.NONE))))).isEqualTo(2f);
  }

  /**
   * A clock that stands still. When it is looked at for the last of so many times by who has armed
   * it, a request comes from another event loop, whose turn is over before the look is.
   */
  private final class IntrudingClock implements LongSupplier {
    private final Context elsewhere = eventLoop();
    private final Promise<InferenceResponse> answer = Promise.promise();
    private final AtomicReference<Thread> armed = new AtomicReference<>();
    private int looks;

    IntrudingClock(int looks) {
      this.looks = looks;
    }

    void arm() {
      armed.compareAndSet(null, Thread.currentThread());
    }

    @Override
    public long getAsLong() {
      if (Thread.currentThread().equals(armed.get()) && --looks == 0) {
        intrude();
      }
      return 1;
    }

    private void intrude() {
      var over = new CountDownLatch(1);
      elsewhere.runOnContext(_ -> {
        model.scheduler().submit(request(5, Deadline.NONE)).onComplete(answer);
        elsewhere.runOnContext(_ -> over.countDown());
      });
      try {
        over.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void requestsOfOtherEventLoopsDuringInlineExecutionAreAnswered(int looks) {
    var intruding = new IntrudingClock(looks);
    restartInline(BatchingConfig.DEFAULT, List.of(session), intruding);
    learnShortRuns();
    session.alsoRun(intruding::arm);
    assertThat(value(join(submit(request(1, Deadline.NONE))))).isEqualTo(2f);
    assertThat(value(join(intruding.answer.future()))).isEqualTo(6f);
  }

  private Context eventLoop() {
    return ((VertxInternal) vertx).createEventLoopContext();
  }

  @Test
  void everyRequestCompletesOnceOnItsCallersEventLoopWithSeveralInline() {
    restartInline(joining(8, Duration.ZERO), List.of(session, new FakeSession()), System::nanoTime);
    List<Context> callerContexts = List.of(callerContext, eventLoop(), eventLoop());
    List<Future<InferenceResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 30_000; i++) {
      Context eventLoop = callerContexts.get(i % callerContexts.size());
      float x = i % 100 == 99 ? FakeSession.POISON : i % 100;
      answers.add(submit(eventLoop, request(x, Deadline.NONE)));
      if (i % 64 == 0) {
        // So that the workers rest now and then.
        answers.getLast().otherwiseEmpty().toCompletionStage().toCompletableFuture().join();
      }
    }
    for (int i = 0; i < answers.size(); i++) {
      if (i % 100 == 99) {
        assertThat(failure(answers.get(i))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      } else {
        assertThat(value(join(answers.get(i)))).isEqualTo(i % 100 + 1f);
      }
    }
    assertThat(answeredElsewhere).hasValue(0);
    assertThat(releasedLeases).hasValue(answers.size());
  }

  @Test
  void aClosedModelRefusesWhatComesAllTheSame() {
    model.scheduler().close();
    assertThat(failure(submit(request(1, Deadline.NONE)))).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  /** Asks until the model is in service again. */
  private float answerInTheEnd() {
    while (true) {
      Future<InferenceResponse> answer = submit(request(41, Deadline.NONE));
      if (answer.otherwiseEmpty().toCompletionStage().toCompletableFuture().join() != null) {
        return value(join(answer));
      }
      assertThat(failure(answer)).isEqualTo(ErrorCode.UNAVAILABLE);
    }
  }

  @Test
  void sessionWhoseRunsFailIsClosedAndOpenedAgain() {
    var failing = new FakeSession();
    failing.failWith(new InferenceException(ErrorCode.INTERNAL, "the arena is broken"));
    var fresh = new FakeSession();
    restart(BatchingConfig.DEFAULT, List.of(new ReopenableSession(() -> fresh, failing)));
    clock.addAndGet(1_000_000_000);
    for (int i = 0; i < ModelConfig.DEFAULT.breaker().failures(); i++) {
      assertThat(failure(submit(request(i, Deadline.NONE)))).isEqualTo(ErrorCode.INTERNAL);
    }
    while (!failing.isClosed()) {
      Thread.onSpinWait();
    }
    assertThat(answerInTheEnd()).isEqualTo(42f);
    assertThat(fresh.isClosed()).isFalse();
    assertThat(model.problem()).isEmpty();
  }

  @Test
  void sessionThatEndsIsOpenedAgainHoweverOftenThatFails() {
    var first = new FakeSession();
    var fresh = new FakeSession();
    var attempts = new AtomicInteger();
    model.close();
    model =
        start(
            BatchingConfig.DEFAULT,
            10_000,
            List.of(
                new ReopenableSession(
                    () -> {
                      if (attempts.incrementAndGet() < 3) {
                        throw new InferenceException(ErrorCode.INTERNAL, "the file is not there");
                      }
                      return fresh;
                    },
                    first)),
            System::nanoTime);
    first.end("its process ended with signal 9 (SIGKILL)");
    assertThat(model.problem().orElseThrow().reason()).contains("signal 9");
    assertThat(answerInTheEnd()).isEqualTo(42f);
    assertThat(attempts).hasValue(3);
    assertThat(first.isClosed()).isTrue();
  }

  @Test
  void modelIsUnloadedWhileItsSessionCannotBeOpened() {
    var first = new FakeSession();
    restart(
        BatchingConfig.DEFAULT,
        List.of(
            new ReopenableSession(
                () -> {
                  throw new InferenceException(ErrorCode.INTERNAL, "the file is not there");
                },
                first)));
    first.end("its process ended with signal 9 (SIGKILL)");
    assertThat(failure(submit(request(1, Deadline.NONE)))).isEqualTo(ErrorCode.UNAVAILABLE);
    model.close();
    assertThat(first.isClosed()).isTrue();
    model = start(BatchingConfig.DEFAULT, CAPACITY, List.of(session), clock::get);
  }

  private final AtomicInteger limitedModels = new AtomicInteger();

  private ServableModel limited(RateLimiter limiter, FakeSession own) {
    var needs = new InstanceLimit(List.of(new InstanceLimit.Resource("R", false, 1)), 1);
    return ServableModel.start(
        session.metadata(),
        new ModelInstances(List.of(own), limiter.permits(List.of(needs), 1), this::openAnother),
        ModelConfig.DEFAULT,
        telemetry.version(new ModelId("limited", 1)),
        new WorkerPool(
            TestContexts.of(vertx),
            "limited-" + limitedModels.incrementAndGet(),
            new ConcurrencyMonitor(vertx, 1),
            System::nanoTime));
  }

  private static RateLimiter limiter() {
    return new RateLimiter(new RateLimitConfig(RateLimitConfig.Mode.EXECUTION_COUNT, List.of()));
  }

  private Future<InferenceResponse> submit(ServableModel asked, float x) {
    Promise<InferenceResponse> answer = Promise.promise();
    callerContext.runOnContext(
        _ -> asked.scheduler().submit(request(x, Deadline.NONE)).onComplete(answer));
    return answer.future();
  }

  @Test
  void modelsThatShareAResourceRunOneAfterTheOther() {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    Runnable run =
        () -> {
          most.accumulateAndGet(inside.incrementAndGet(), Math::max);
          Thread.onSpinWait();
          inside.decrementAndGet();
        };
    RateLimiter limiter = limiter();
    var sessions = List.of(new FakeSession(), new FakeSession());
    sessions.forEach(each -> each.alsoRun(run));
    List<ServableModel> models = sessions.stream().map(own -> limited(limiter, own)).toList();
    List<Future<InferenceResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      answers.add(submit(models.get(i % 2), i));
    }
    for (int i = 0; i < 200; i++) {
      assertThat(value(join(answers.get(i)))).isEqualTo(i + 1f);
    }
    assertThat(most).hasValue(1);
    models.forEach(ServableModel::close);
  }

  @Test
  void whatWaitsForAResourceIsRefusedWhenItsModelIsClosed() throws InterruptedException {
    RateLimiter limiter = limiter();
    var busy = new FakeSession();
    CountDownLatch gate = busy.hold();
    ServableModel first = limited(limiter, busy);
    ServableModel second = limited(limiter, new FakeSession());
    Future<InferenceResponse> running = submit(first, 1);
    busy.awaitRun();
    Future<InferenceResponse> waiting = submit(second, 2);
    join(callerContext.<Void>executeBlocking(() -> null));
    second.close();
    assertThat(failure(waiting)).isEqualTo(ErrorCode.UNAVAILABLE);
    gate.countDown();
    assertThat(value(join(running))).isEqualTo(2f);
    first.close();
  }
}
