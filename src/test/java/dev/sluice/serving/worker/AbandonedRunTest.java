package dev.sluice.serving.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.runtime.ModelSession;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.serving.ServableModel;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions that cannot be interrupted, and whose runs end when the test says so. */
@Timeout(60)
class AbandonedRunTest {
  private static final String NAME = "test";

  private final Vertx vertx = Vertx.vertx();
  private final FakeCaller caller = new FakeCaller(vertx, new ModelId(NAME, 1));
  private final long blocksBefore = TensorMemory.openBlocks();
  private final FakeSession first = new FakeSession();
  private final FakeSession second = new FakeSession();
  private final CountDownLatch firstGate = first.hold();

  private ServableModel start(int abandonedRuns, BatchingConfig batching, ModelSession... next) {
    return start(abandonedRuns, batching, vertx, next);
  }

  /** Deploys the first worker, and fails so often to deploy the next. */
  private Vertx failingToDeploy(AtomicInteger failures) {
    var deployments = new AtomicInteger();
    return (Vertx)
        Proxy.newProxyInstance(
            Vertx.class.getClassLoader(),
            new Class<?>[] {VertxInternal.class},
            (_, method, arguments) -> {
              boolean fails =
                  method.getName().equals("deployVerticle")
                      && deployments.incrementAndGet() > 1
                      && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
              return fails
                  ? Future.failedFuture("there is no pool")
                  : method.invoke(vertx, arguments);
            });
  }

  private ServableModel start(
      int abandonedRuns, BatchingConfig batching, Vertx workers, ModelSession... next) {
    var breaker =
        new BreakerConfig(
            Duration.ofMillis(20),
            0,
            Duration.ofSeconds(1),
            BreakerConfig.Readiness.MODEL,
            abandonedRuns);
    var queue = new QueueConfig(100, Duration.ZERO, 1, 1);
    Iterator<ModelSession> opened = List.of(next).iterator();
    return ServableModel.start(
        FakeSession.METADATA,
        new ModelInstances(List.of(first), List.of(InstancePermit.UNLIMITED), opened::next),
        FakeCaller.config(1, batching, queue, breaker),
        Telemetry.unseen().version(caller.model()),
        new WorkerPool(
            TestContexts.of(workers),
            "abandoned",
            new ConcurrencyMonitor(vertx, 1),
            System::nanoTime));
  }

  @AfterEach
  void nothingIsLeftOpen() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(caller.leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private Future<InferenceResponse> submit(ServableModel model, float x) {
    return caller.submit(model, caller.request(x));
  }

  private static float value(Future<InferenceResponse> answer) {
    try (InferenceResponse response = answer.toCompletionStage().toCompletableFuture().join()) {
      return response.outputs().getFirst().tensor().data().get(ValueLayout.JAVA_FLOAT, 0);
    }
  }

  private static InferenceException failure(Future<InferenceResponse> answer) {
    var thrown =
        catchThrowableOfType(
            CompletionException.class,
            () -> answer.toCompletionStage().toCompletableFuture().join());
    return cause(thrown);
  }

  private static InferenceException cause(CompletionException thrown) {
    return (InferenceException) Objects.requireNonNull(thrown.getCause());
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  /** The answer to a request that is sent again as long as the model is out of service. */
  private float retried(ServableModel model, float x) {
    while (true) {
      Future<InferenceResponse> answer = submit(model, x);
      try {
        return value(answer);
      } catch (CompletionException e) {
        assertThat(cause(e).code()).isEqualTo(ErrorCode.UNAVAILABLE);
      }
    }
  }

  @Test
  void modelAnswersInAnotherSessionAndTheFirstIsClosedWhenItsRunEnds() throws InterruptedException {
    ServableModel model = start(1, BatchingConfig.DEFAULT, second);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    InferenceException why = failure(hung);
    assertThat(why.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(why.getMessage()).contains("does not end");
    assertThat(retried(model, 2)).isEqualTo(3f);
    assertThat(second.thread()).isNotSameAs(first.thread());
    assertThat(first.isClosed()).isFalse();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore + 1);
    firstGate.countDown();
    await(first::isClosed);
    assertThat(retried(model, 4)).isEqualTo(5f);
    assertThat(model.problem()).isEmpty();
    model.close();
    assertThat(second.isClosed()).isTrue();
  }

  @Test
  void workerThatCannotBeStartedInPlaceOfAnotherIsTriedAgainAndItsModelSaysWhy()
      throws InterruptedException {
    var failures = new AtomicInteger(2);
    ServableModel model = start(1, BatchingConfig.DEFAULT, failingToDeploy(failures), second);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    assertThat(failure(hung).getMessage()).contains("does not end");
    await(() -> model.problem().toString().contains("cannot be started: there is no pool"));
    assertThat(retried(model, 2)).isEqualTo(3f);
    assertThat(failures).hasValue(0);
    assertThat(model.problem()).isEmpty();
    firstGate.countDown();
    await(first::isClosed);
    model.close();
    assertThat(second.isClosed()).isTrue();
  }

  @Test
  void modelIsClosedWhileAWorkerCannotBeStarted() throws InterruptedException {
    Vertx workers = failingToDeploy(new AtomicInteger(Integer.MAX_VALUE));
    ServableModel model = start(1, BatchingConfig.DEFAULT, workers, second);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    assertThat(failure(hung).getMessage()).contains("does not end");
    model.close();
    firstGate.countDown();
    await(first::isClosed);
    await(() -> TensorMemory.openBlocks() == blocksBefore);
  }

  @Test
  void requestThatWaitsInTheSameBatchIsAnsweredAndNotRunOnTheOldSession()
      throws InterruptedException {
    // The joined run fails, for the poison: its members run one by one, and the first one hangs.
    var joining = new BatchingConfig(3, true, Duration.ofSeconds(30), List.of(), List.of());
    first.alsoRun(() -> {
      if (first.runs() == 1) {
        throw new IllegalStateException("a joined run");
      }
    });
    ServableModel model = start(1, joining, second);
    List<Future<InferenceResponse>> answers =
        List.of(submit(model, 1), submit(model, 2), submit(model, 3));
    for (Future<InferenceResponse> answer : answers) {
      assertThat(failure(answer).getMessage()).contains("does not end");
    }
    await(() -> caller.leases() == 0);
    firstGate.countDown();
    await(first::isClosed);
    assertThat(first.sizes()).containsExactly(3L, 1L);
    model.close();
  }

  @Test
  void modelIsClosedWithoutWaitingForARunThatDoesNotEnd() throws InterruptedException {
    ServableModel model = start(1, BatchingConfig.DEFAULT, second);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    model.close();
    assertThat(failure(hung).getMessage()).contains("does not end");
    assertThat(first.isClosed()).isFalse();
    firstGate.countDown();
    await(first::isClosed);
    await(() -> TensorMemory.openBlocks() == blocksBefore);
  }

  @Test
  void callersAreAnsweredAndNoSessionIsOpenedBeyondTheLimit() throws InterruptedException {
    CountDownLatch secondGate = second.hold();
    ServableModel model = start(1, BatchingConfig.DEFAULT, second);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    assertThat(failure(hung).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    await(() -> model.problem().isEmpty());
    Future<InferenceResponse> other = submit(model, 2);
    assertThat(failure(other).getMessage()).contains("does not end");
    await(() -> caller.leases() == 0);
    assertThat(model.problem()).isPresent();
    secondGate.countDown();
    assertThat(retried(model, 3)).isEqualTo(4f);
    firstGate.countDown();
    await(first::isClosed);
    model.close();
  }

  @Test
  void callerWaitsOnWhereNoRunMayBeAbandoned() throws InterruptedException {
    ServableModel model = start(0, BatchingConfig.DEFAULT);
    Future<InferenceResponse> hung = submit(model, 1);
    first.awaitRun();
    await(() -> model.problem().isPresent());
    assertThat(failure(submit(model, 2)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(hung.isComplete()).isFalse();
    firstGate.countDown();
    assertThat(value(hung)).isEqualTo(2f);
    model.close();
  }
}
