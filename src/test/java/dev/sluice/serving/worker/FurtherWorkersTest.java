package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.serving.ServableModel;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Models whose settings leave open how many workers they have, and whose runs the test ends. */
@Timeout(60)
class FurtherWorkersTest {
  private static final int CORES = 2;
  private static final int FAILURES = 3;
  private static final int MANY = 200;

  /** Between the run that holds up others and the one that hangs lies the longest wait. */
  private static final Duration HANG = Duration.ofMillis(400);

  private final Vertx vertx = Vertx.vertx();
  private final FakeCaller caller = new FakeCaller(vertx, new ModelId("m", 1));
  private final long blocksBefore = TensorMemory.openBlocks();
  private final AtomicLong clock = new AtomicLong(1);
  private final ConcurrencyMonitor monitor = new ConcurrencyMonitor(vertx, CORES);
  private final List<ServableModel> models = new ArrayList<>();

  /** Shares of its session, in the order in which further workers get them. */
  private record Shared(
      ServableModel model, VersionMeter meter, FakeSession first, List<FakeSession> shares) {
    FakeSession second() {
      return shares.getFirst();
    }
  }

  private Shared start(int concurrency, BatchingConfig batching) {
    var first = new FakeSession();
    List<FakeSession> shares = List.of(new FakeSession(), new FakeSession(), new FakeSession());
    var shared = new AtomicInteger();
    first.shareWith(() -> shares.get(shared.getAndIncrement()));
    VersionMeter meter = Telemetry.unseen().version(caller.model());
    var model =
        ServableModel.start(
            FakeSession.METADATA,
            new ModelInstances(
                List.of(first),
                List.of(InstancePermit.UNLIMITED),
                () -> {
                  throw new AssertionError("no run is abandoned here");
                }),
            config(concurrency, batching),
            meter,
            new WorkerPool(
                TestContexts.of(vertx), "further-" + models.size(), monitor, clock::get));
    models.add(model);
    return new Shared(model, meter, first, shares);
  }

  private Shared start() {
    return start(0, BatchingConfig.DEFAULT);
  }

  private static ModelConfig config(int concurrency, BatchingConfig batching) {
    var breaker =
        new BreakerConfig(HANG, FAILURES, Duration.ofSeconds(5), BreakerConfig.Readiness.MODEL, 0);
    return FakeCaller.config(concurrency, batching, QueueConfig.DEFAULT, breaker);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    models.forEach(ServableModel::close);
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(caller.leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  /** What becomes of a request: its number, or the code of its error. */
  private CompletableFuture<String> ask(Shared of, float x) {
    return caller.ask(of.model, caller.request(x));
  }

  private void pass(long nanos) {
    clock.addAndGet(nanos);
  }

  private void passLong() {
    pass(ConcurrencyPolicy.LONG_NANOS);
  }

  @Test
  void aRequestThatWaitsForALongRunIsAnsweredByAFurtherWorker() throws Exception {
    Shared model = start();
    CountDownLatch gate = model.first.hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    CompletableFuture<String> waiting = ask(model, 2);
    passLong();
    assertThat(waiting.get()).isEqualTo("3.0");
    assertThat(ask(model, 3).get()).isEqualTo("4.0");
    assertThat(slow).isNotDone();
    assertThat(model.second().runs()).isEqualTo(2);
    gate.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
  }

  @Test
  void whenTheLongRunHasEndedTheFirstWorkerDoesEverythingAgain() throws Exception {
    Shared model = start();
    CountDownLatch gate = model.first.hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    CompletableFuture<String> waiting = ask(model, 2);
    passLong();
    assertThat(waiting.get()).isEqualTo("3.0");
    gate.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
    for (int i = 0; i < MANY; i++) {
      List<CompletableFuture<String>> asked = List.of(ask(model, 1), ask(model, 2), ask(model, 3));
      for (CompletableFuture<String> each : asked) {
        each.get();
      }
    }
    assertThat(model.second().runs()).isEqualTo(1);
    assertThat(model.first.runs()).isEqualTo(1 + 3 * MANY);
  }

  @Test
  void aNumberInTheSettingsIsKept() throws Exception {
    Shared fixed = start(1, BatchingConfig.DEFAULT);
    Shared open = start();
    CountDownLatch gate = fixed.first.hold();
    CompletableFuture<String> slow = ask(fixed, 1);
    fixed.first.awaitRun();
    CompletableFuture<String> waiting = ask(fixed, 2);
    CountDownLatch other = open.first.hold();
    CompletableFuture<String> otherSlow = ask(open, 1);
    open.first.awaitRun();
    CompletableFuture<String> otherWaiting = ask(open, 2);
    pass(ConcurrencyPolicy.LONGEST_WAIT_NANOS);
    // The look that helped one has found the other, too.
    assertThat(otherWaiting.get()).isEqualTo("3.0");
    assertThat(waiting).isNotDone();
    gate.countDown();
    other.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
    assertThat(otherSlow.get()).isEqualTo("2.0");
    assertThat(waiting.get()).isEqualTo("3.0");
    assertThat(fixed.second().runs()).isZero();
  }

  @Test
  void whereRunsOfOtherModelsKeepAllCoresARequestWaitsForTheLongestWaitAtMost() throws Exception {
    Shared model = start();
    Shared other = start(1, BatchingConfig.DEFAULT);
    CountDownLatch gate = model.first.hold();
    CountDownLatch otherGate = other.first.hold();
    CompletableFuture<String> slow = ask(model, 1);
    CompletableFuture<String> otherSlow = ask(other, 1);
    model.first.awaitRun();
    other.first.awaitRun();
    CompletableFuture<String> waiting = ask(model, 2);
    pass(ConcurrencyPolicy.LONGEST_WAIT_NANOS);
    assertThat(waiting.get()).isEqualTo("3.0");
    gate.countDown();
    otherGate.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
    assertThat(otherSlow.get()).isEqualTo("2.0");
  }

  @Test
  void requestsThatJoinDoNotGoToTwoWorkersWhileRunsAreShort() throws Exception {
    Shared model = start(0, new BatchingConfig(4, true, Duration.ZERO, List.of(), List.of()));
    CountDownLatch gate = model.first.hold();
    CompletableFuture<String> head = ask(model, 1);
    model.first.awaitRun();
    List<CompletableFuture<String>> waiting =
        List.of(ask(model, 1), ask(model, 2), ask(model, 3), ask(model, 4));
    pass(ConcurrencyPolicy.LONG_NANOS - 1);
    Polling.await("all wait", () -> model.meter.waiting() == waiting.size());
    gate.countDown();
    head.get();
    for (CompletableFuture<String> each : waiting) {
      each.get();
    }
    assertThat(model.first.sizes()).containsExactly(1L, 4L);
  }

  @Test
  void aWorkerThatIsNotNeededForAMinuteEnds() throws Exception {
    Shared model = start();
    CountDownLatch gate = model.first.hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    CompletableFuture<String> waiting = ask(model, 2);
    passLong();
    assertThat(waiting.get()).isEqualTo("3.0");
    gate.countDown();
    slow.get();
    assertThat(model.second().isClosed()).isFalse();
    pass(FurtherWorkers.KEPT.toNanos());
    Polling.await("it ends", model.second()::isClosed);
    // And another one is started when one is needed.
    CountDownLatch again = model.first.hold();
    CompletableFuture<String> slowAgain = ask(model, 3);
    Polling.await("it runs", () -> model.first.runs() == 2);
    CompletableFuture<String> waitingAgain = ask(model, 4);
    passLong();
    assertThat(waitingAgain.get()).isEqualTo("5.0");
    again.countDown();
    assertThat(slowAgain.get()).isEqualTo("4.0");
    assertThat(model.shares.get(1).runs()).isEqualTo(1);
  }

  @Test
  void theModelHangsWhenAsManyRunsHangAsThereAreCores() throws Exception {
    Shared model = start();
    CountDownLatch gate = model.first.hold();
    CountDownLatch secondGate = model.second().hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    pass(HANG.toNanos());
    CompletableFuture<String> alsoSlow = ask(model, 2);
    model.second().awaitRun();
    assertThat(model.model.problem()).isEmpty();
    pass(HANG.toNanos());
    Polling.await("it hangs", () -> model.model.problem().isPresent());
    assertThat(ask(model, 3).get()).isEqualTo(ErrorCode.UNAVAILABLE.name());
    secondGate.countDown();
    assertThat(alsoSlow.get()).isEqualTo("3.0");
    assertThat(model.model.problem()).isEmpty();
    gate.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
    assertThat(model.shares.get(1).runs()).isZero();
  }

  @Test
  void aStreamThatAFurtherWorkerHasBegunGoesOnWhileTheFirstRests() throws Throwable {
    Shared model = start(0, new BatchingConfig(1, true, Duration.ZERO, List.of(), List.of()));
    CountDownLatch gate = model.first.hold();
    CountDownLatch secondGate = model.second().hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    StreamReader reader = caller.stream(model.model, caller.request(1, 2, 3)).ask(3);
    passLong();
    model.second().awaitRun();
    gate.countDown();
    assertThat(slow.get()).isEqualTo("2.0");
    Thread worker = Objects.requireNonNull(model.first.thread());
    Polling.await("the first worker rests", () -> worker.getState() == Thread.State.WAITING);
    secondGate.countDown();
    for (float each : new float[] {2, 3, 4}) {
      assertThat(reader.next().getFirst()).containsExactly(each);
    }
    reader.end();
  }

  @Test
  void aModelIsClosedWithTheRunsOfItsFurtherWorkers() throws Exception {
    Shared model = start();
    CountDownLatch gate = model.first.hold();
    CountDownLatch secondGate = model.second().hold();
    CompletableFuture<String> slow = ask(model, 1);
    model.first.awaitRun();
    CompletableFuture<String> alsoSlow = ask(model, 2);
    passLong();
    model.second().awaitRun();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(model.model::close);
    models.clear();
    gate.countDown();
    secondGate.countDown();
    closed.get();
    assertThat(slow.get()).isEqualTo("2.0");
    assertThat(alsoSlow.get()).isEqualTo("3.0");
    assertThat(model.first.isClosed()).isTrue();
    assertThat(model.second().isClosed()).isTrue();
  }
}
