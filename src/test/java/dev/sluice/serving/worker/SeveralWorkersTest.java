package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.InstanceLimit;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.server.RateLimitConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.scheduling.ratelimit.RateLimiter;
import dev.sluice.serving.ServableModel;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one worker of a model does to the others, whose runs end when the test says so. */
@Timeout(60)
class SeveralWorkersTest {
  private static final ModelId MODEL = new ModelId("several", 1);
  private static final int FAILURES = 3;
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofMinutes(5);

  private final Vertx vertx = Vertx.vertx();
  private final FakeCaller caller = new FakeCaller(vertx, MODEL);
  private final long blocksBefore = TensorMemory.openBlocks();
  private final AtomicLong clock = new AtomicLong(1);
  private final List<FakeSession> sessions = new ArrayList<>();
  private @Nullable ServableModel started;

  private static InferenceException broken() {
    return new InferenceException(ErrorCode.INTERNAL, "broken");
  }

  private ServableModel model() {
    return Objects.requireNonNull(started);
  }

  private void start(int workers, BatchingConfig batching) {
    start(workers, batching, Collections.nCopies(workers, InstancePermit.UNLIMITED));
  }

  private void start(int workers, BatchingConfig batching, List<InstancePermit> permits) {
    for (int i = 0; i < workers; i++) {
      sessions.add(new FakeSession());
    }
    started =
        ServableModel.start(
            FakeSession.METADATA,
            new ModelInstances(
                List.copyOf(sessions),
                permits,
                () -> {
                  throw new AssertionError("no run is abandoned here");
                }),
            config(batching, workers),
            Telemetry.unseen().version(MODEL),
            new WorkerPool(
                TestContexts.of(vertx),
                "several-workers",
                new ConcurrencyMonitor(vertx, workers),
                clock::get));
  }

  private static ModelConfig config(BatchingConfig batching, int workers) {
    var breaker =
        new BreakerConfig(
            Duration.ZERO, FAILURES, PROBE_INTERVAL, BreakerConfig.Readiness.MODEL, 0);
    return FakeCaller.config(workers, batching, QueueConfig.DEFAULT, breaker);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    model().close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(caller.leases()).isZero();
    assertThat(sessions).allMatch(FakeSession::isClosed);
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private CompletableFuture<String> ask(InferenceRequest request) {
    return caller.ask(model(), request);
  }

  private CompletableFuture<String> ask(float x) {
    return ask(caller.request(x));
  }

  /** Has all workers but one be in a run, whichever they are; each ends with its latch. */
  private List<Held> holdAllButOne() {
    Map<FakeSession, CountDownLatch> gates = holdAll();
    List<Held> held = new ArrayList<>();
    while (held.size() < sessions.size() - 1) {
      InferenceRequest request = caller.request(held.size());
      CompletableFuture<String> answer = ask(request);
      FakeSession taker = nextRunning(gates);
      held.add(new Held(taker, Objects.requireNonNull(gates.remove(taker)), request, answer));
    }
    gates.values().forEach(CountDownLatch::countDown);
    return held;
  }

  private Map<FakeSession, CountDownLatch> holdAll() {
    Map<FakeSession, CountDownLatch> gates = new HashMap<>();
    sessions.forEach(session -> gates.put(session, session.hold()));
    return gates;
  }

  /** Returns the one of these that begins to run next. */
  private static FakeSession nextRunning(Map<FakeSession, CountDownLatch> resting) {
    while (true) {
      for (FakeSession session : resting.keySet()) {
        if (session.runs() > 0) {
          return session;
        }
      }
      Thread.onSpinWait();
    }
  }

  private record Held(
      FakeSession session,
      CountDownLatch gate,
      InferenceRequest request,
      CompletableFuture<String> answer) {}

  /** Lets the runs go on, to succeed. */
  private static void release(List<Held> held) {
    held.forEach(each -> {
      each.session.failWith(null);
      each.gate.countDown();
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void failuresOfOneWorkerInARowOpenTheBreakerWhileOthersRun(int workers) throws Exception {
    start(workers, BatchingConfig.DEFAULT);
    List<Held> held = holdAllButOne();
    sessions.forEach(session -> session.failWith(broken()));
    for (int i = 0; i < FAILURES; i++) {
      assertThat(ask(1).get()).isEqualTo("INTERNAL");
    }
    assertThat(model().problem()).isPresent();
    assertThat(ask(1).get()).isEqualTo("UNAVAILABLE");
    release(held);
    assertThat(held.getFirst().answer.get()).isEqualTo("1.0");
    // A run that was answered shows that the model is good.
    assertThat(model().problem()).isEmpty();
    for (Held each : held) {
      assertThat(each.answer.get()).isNotEqualTo("UNAVAILABLE");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void anAnswerOfOneWorkerInterruptsTheFailuresOfAnother(int workers) throws Exception {
    start(workers, BatchingConfig.DEFAULT);
    List<Held> held = holdAllButOne();
    sessions.forEach(session -> session.failWith(broken()));
    for (int i = 1; i < FAILURES; i++) {
      assertThat(ask(1).get()).isEqualTo("INTERNAL");
    }
    release(held);
    for (Held each : held) {
      assertThat(each.answer.get()).isNotEqualTo("INTERNAL");
    }
    sessions.forEach(session -> session.failWith(broken()));
    for (int i = 1; i < FAILURES; i++) {
      assertThat(ask(1).get()).isEqualTo("INTERNAL");
      assertThat(model().problem()).isEmpty();
    }
    assertThat(ask(1).get()).isEqualTo("INTERNAL");
    assertThat(model().problem()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aHalfOpenBreakerLetsOneRequestThroughThoughSeveralWorkersRest(int workers) throws Exception {
    start(workers, BatchingConfig.DEFAULT);
    sessions.forEach(session -> session.failWith(broken()));
    for (int i = 0; i < FAILURES; i++) {
      assertThat(ask(1).get()).isEqualTo("INTERNAL");
    }
    int before = runs();
    clock.addAndGet(PROBE_INTERVAL.toNanos());
    assertThat(outcomes(IntStream.range(0, 2 * workers).mapToObj(_ -> ask(1)).toList()))
        .containsOnlyOnce("INTERNAL")
        .containsOnly("INTERNAL", "UNAVAILABLE");
    assertThat(runs()).isEqualTo(before + 1);
    sessions.forEach(session -> session.failWith(null));
    clock.addAndGet(PROBE_INTERVAL.toNanos());
    assertThat(ask(1).get()).isEqualTo("2.0");
    assertThat(outcomes(IntStream.range(0, 2 * workers).mapToObj(_ -> ask(1)).toList()))
        .containsOnly("2.0");
  }

  private int runs() {
    return sessions.stream().mapToInt(FakeSession::runs).sum();
  }

  private static List<String> outcomes(List<CompletableFuture<String>> asked)
      throws ExecutionException, InterruptedException {
    List<String> outcomes = new ArrayList<>();
    for (CompletableFuture<String> each : asked) {
      outcomes.add(each.get());
    }
    return outcomes;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void onlyTheRunIsInterruptedWhoseCallerLeaves(int workers) throws Exception {
    start(workers, BatchingConfig.DEFAULT);
    List<Held> held = holdAllButOne();
    Held left = held.getFirst();
    caller.onEventLoop(left.request::cancel);
    left.session.awaitInterrupt();
    assertThat(left.answer.get()).isEqualTo("CANCELLED");
    assertThat(ask(7).get()).isEqualTo("8.0");
    for (Held other : held.subList(1, held.size())) {
      assertThat(other.session.isInterrupted()).isFalse();
      assertThat(other.answer).isNotDone();
    }
    release(held);
    assertThat(outcomes(held.stream().skip(1).map(Held::answer).toList()))
        .isEqualTo(IntStream.range(1, held.size()).mapToObj(i -> (i + 1) + ".0").toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aBatchThatWaitsForItsDelayIsLeftByOneWorkerAsAWhole(int workers) throws Exception {
    int rows = 4;
    start(workers, new BatchingConfig(rows, true, LONG, List.of(), List.of()));
    for (int round = 1; round <= 50; round++) {
      List<CompletableFuture<String>> asked = IntStream.range(0, rows).mapToObj(this::ask).toList();
      assertThat(outcomes(asked)).containsExactly("1.0", "2.0", "3.0", "4.0");
      assertThat(runs()).isEqualTo(round);
    }
    assertThat(sessions.stream().flatMap(session -> session.sizes().stream()))
        .containsOnly((long) rows);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void whatWaitsForADelayGoesToAWorkerThatIsFreeWhenTheTimeIsOver(int workers) throws Exception {
    var batching = new BatchingConfig(4, true, Duration.ofMillis(20), List.of(), List.of());
    start(workers, batching);
    Map<FakeSession, CountDownLatch> gates = holdAll();
    // Each worker but one takes a full batch and stays in its run.
    List<CompletableFuture<String>> held = new ArrayList<>();
    while (gates.size() > 1) {
      for (int i = 0; i < 4; i++) {
        held.add(ask(i));
      }
      gates.remove(nextRunning(gates));
    }
    gates.values().forEach(CountDownLatch::countDown);
    CompletableFuture<String> late = ask(9);
    CompletableFuture<String> later = ask(10);
    while (!late.isDone()) {
      clock.addAndGet(Duration.ofMillis(1).toNanos());
      Thread.onSpinWait();
    }
    assertThat(late.get()).isEqualTo("10.0");
    assertThat(later.get()).isEqualTo("11.0");
    assertThat(held).noneMatch(CompletableFuture::isDone);
    sessions.forEach(FakeSession::interrupt);
    assertThat(outcomes(held)).hasSize(4 * (workers - 1)).doesNotContain("UNAVAILABLE");
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void theRateLimiterCountsTheRunsOfAllWorkers(int workers) throws Exception {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    var limiter =
        new RateLimiter(
            new RateLimitConfig(
                RateLimitConfig.Mode.EXECUTION_COUNT,
                List.of(new RateLimitConfig.Available("R", workers - 1, Optional.empty()))));
    var needs = new InstanceLimit(List.of(new InstanceLimit.Resource("R", false, 1)), 1);
    start(
        workers,
        BatchingConfig.DEFAULT,
        limiter.permits(Collections.nCopies(workers, needs), workers));
    var full = new CountDownLatch(workers - 1);
    for (FakeSession session : sessions) {
      session.alsoRun(() -> {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        full.countDown();
        try {
          full.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        } finally {
          inside.decrementAndGet();
        }
      });
    }
    List<CompletableFuture<String>> asked = IntStream.range(0, 200).mapToObj(_ -> ask(1)).toList();
    assertThat(outcomes(asked)).containsOnly("2.0");
    assertThat(most).hasValue(workers - 1);
  }

  @Test
  void closingWaitsForTheRunsOfAllWorkersAndAnswersThem() throws Exception {
    start(4, BatchingConfig.DEFAULT);
    List<Held> held = holdAllButOne();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(model()::close);
    held.getFirst().gate.countDown();
    assertThat(held.getFirst().answer.get()).isEqualTo("1.0");
    assertThat(closed).isNotDone();
    release(held);
    closed.get();
    assertThat(outcomes(held.stream().map(Held::answer).toList()))
        .containsExactly("1.0", "2.0", "3.0");
  }
}
