package dev.sluice.scheduling.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.SequenceConfig;
import dev.sluice.config.model.SequenceConfig.State;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.scheduling.Scheduler;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.NamedCallers;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SequenceSchedulerTest {
  private static final Duration MAX_IDLE = Duration.ofSeconds(1);
  private static final TensorSpec X = new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY));
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(X, new TensorSpec("before", DataType.FP32, Shape.of(Shape.ANY))),
          List.of(
              new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY)),
              new TensorSpec("after", DataType.FP32, Shape.of(Shape.ANY))));
  private static final ModelMetadata METADATA =
      new ModelMetadata("fake", Map.of(Signature.DEFAULT, SIGNATURE), true, 1);

  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final AtomicLong clock = new AtomicLong(1);
  private final FakeModelLease model = new FakeModelLease(new ModelId("sum", 1), METADATA);
  private final NamedCallers callers = new NamedCallers(0.5);
  private final Lane first = new Lane();
  private final Lane second = new Lane();
  private long blocksBefore;
  private SequencePlans plans;
  private SequenceScheduler scheduler;

  /** An instance that adds {@code before} to {@code x} when it is told to. */
  private static final class Lane implements Scheduler {
    private record Run(InferenceRequest request, Promise<InferenceResponse> answer) {}

    private final Queue<Run> runs = new ArrayDeque<>();

    @Override
    public Future<InferenceResponse> submit(InferenceRequest request) {
      var run = new Run(request, Promise.promise());
      runs.add(run);
      return run.answer().future();
    }

    void answer() {
      Run run = runs.remove();
      float sum = value(run.request(), "x") + value(run.request(), "before");
      List<NamedTensor> outputs = new ArrayList<>();
      for (String name : run.request().outputs()) {
        outputs.add(new NamedTensor(name, Tensors.floats(Shape.of(1), sum)));
      }
      var response =
          new InferenceResponse(run.request().model().id(), run.request().signature(), outputs);
      run.request().close();
      run.answer().complete(response);
    }

    void fail(InferenceException failure) {
      Run run = runs.remove();
      run.request().close();
      run.answer().fail(failure);
    }

    private static float value(InferenceRequest request, String name) {
      return Tensors.toFloats(Objects.requireNonNull(request.input(name)).tensor())[0];
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() {
    blocksBefore = TensorMemory.openBlocks();
    start(1, Duration.ZERO);
  }

  private void start(int mostSequences, Duration queueTimeout) {
    var rules =
        new SequenceConfig(
            MAX_IDLE,
            mostSequences,
            List.of(),
            List.of(new State("after", "before", false, List.of(), Optional.empty())));
    ModelConfig defaults = ModelConfig.DEFAULT;
    var config =
        new ModelConfig(
            defaults.versionPolicy(),
            defaults.labels(),
            defaults.batching(),
            new QueueConfig(3, queueTimeout, 1, 1),
            new ModelConfig.Workers(2, 1),
            defaults.admission(),
            false,
            ModelConfig.DEFAULT.explain(),
            defaults.runtimes(),
            defaults.stream(),
            Optional.empty(),
            Map.of(),
            Optional.of(rules),
            false,
            ModelConfig.DEFAULT.declared(),
            1,
            defaults.breaker(),
            defaults.encoder(),
            defaults.ragged());
    plans = SequencePlans.of(METADATA, rules);
    scheduler =
        new SequenceScheduler(
            TestContexts.of(vertx), plans, List.of(first, second), config, clock::get);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    onCallerContext(() -> {
      scheduler.close();
      return "closed";
    });
    assertThat(model.leases()).isZero();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private <T> T onCallerContext(Callable<T> action) {
    Promise<T> done = Promise.promise();
    callerContext.runOnContext(_ -> {
      try {
        done.complete(action.call());
      } catch (Exception e) {
        done.fail(e);
      }
    });
    return done.future().toCompletionStage().toCompletableFuture().join();
  }

  private InferenceRequest request(float x, long id, String flags, Deadline deadline) {
    return request(model.acquire(), x, id, flags, deadline);
  }

  private InferenceRequest request(
      ModelLease lease, float x, long id, String flags, Deadline deadline) {
    var step =
        new SequenceStep(
            new ParameterValue.Whole(id, true), flags.contains("s"), flags.contains("e"));
    return new InferenceRequest(
        lease,
        Objects.requireNonNull(plans.shown().get(Signature.DEFAULT)),
        List.of(new NamedTensor("x", Tensors.floats(Shape.of(1), x))),
        List.of(),
        deadline,
        "r",
        new RequestOptions(0, step, Map.of()));
  }

  private Future<InferenceResponse> submit(float x, long id, String flags) {
    return submit(request(x, id, flags, Deadline.NONE));
  }

  private Future<InferenceResponse> submit(InferenceRequest request) {
    return onCallerContext(() -> scheduler.submit(request));
  }

  private void answer(Lane lane) {
    onCallerContext(() -> {
      lane.answer();
      return lane;
    });
  }

  private Future<InferenceResponse> submitAs(Caller caller, float x, long id, String flags) {
    return submit(request(model.acquireFor(caller), x, id, flags, Deadline.NONE));
  }

  @Test
  void twoIdentitiesNeverShareTheStateOfOneSequenceId() {
    Caller a = callers.of("key:a");
    Caller b = callers.of("key:b");
    Future<InferenceResponse> own = submitAs(a, 1, 7, "s");
    answer(first);
    assertThat(sum(own)).isEqualTo(1);
    assertThat(submitAs(b, 100, 7, "").cause()).hasMessageContaining("must specify the START flag");
    Future<InferenceResponse> other = submitAs(b, 100, 7, "s");
    answer(second);
    assertThat(sum(other)).isEqualTo(100);
    Future<InferenceResponse> more = submitAs(a, 2, 7, "e");
    answer(first);
    assertThat(sum(more)).isEqualTo(3);
    Future<InferenceResponse> last = submitAs(b, 1, 7, "e");
    answer(second);
    assertThat(sum(last)).isEqualTo(101);
  }

  @Test
  void anIdentityDoesNotHoldAllSequencesOfAModel() {
    Caller a = callers.of("key:a");
    Future<InferenceResponse> own = submitAs(a, 1, 1, "s");
    assertThat(submitAs(a, 1, 2, "s").cause())
        .hasMessageContaining("'key:a' has 1 sequences of model 'sum', the share of one identity");
    Future<InferenceResponse> other = submitAs(callers.of("key:b"), 5, 2, "se");
    answer(second);
    assertThat(sum(other)).isEqualTo(5);
    answer(first);
    assertThat(sum(own)).isEqualTo(1);
    Future<InferenceResponse> end = submitAs(a, 1, 1, "e");
    answer(first);
    assertThat(sum(end)).isEqualTo(2);
    Future<InferenceResponse> next = submitAs(a, 3, 2, "se");
    answer(first);
    assertThat(sum(next)).isEqualTo(3);
  }

  private static float sum(Future<InferenceResponse> answer) {
    try (InferenceResponse response = answer.toCompletionStage().toCompletableFuture().join()) {
      assertThat(response.outputs()).extracting(NamedTensor::name).containsExactly("y");
      return Tensors.toFloats(response.outputs().getFirst().tensor())[0];
    }
  }

  private static void assertFails(Future<InferenceResponse> answer, ErrorCode code, String text) {
    try {
      answer.toCompletionStage().toCompletableFuture().join().close();
      throw new AssertionError("it was answered");
    } catch (CompletionException e) {
      assertThat(e).hasMessageContaining(text);
      assertThat(ErrorCode.of(Objects.requireNonNull(e.getCause()))).isEqualTo(code);
    }
  }

  @Test
  void requestsOfASequenceRunOneAfterAnotherInTheirOrder() {
    var one = submit(1, 7, "s");
    var two = submit(2, 7, "");
    var three = submit(3, 7, "e");
    assertThat(first.runs).hasSize(1);
    answer(first);
    assertThat(sum(one)).isEqualTo(1);
    answer(first);
    assertThat(sum(two)).isEqualTo(3);
    answer(first);
    assertThat(sum(three)).isEqualTo(6);
  }

  @Test
  void sequencesGoToTheInstanceThatHasTheFewestAndStayThere() {
    var one = submit(1, 1, "s");
    var two = submit(2, 2, "s");
    answer(first);
    answer(second);
    assertThat(sum(one)).isEqualTo(1);
    assertThat(sum(two)).isEqualTo(2);
    var again = submit(10, 2, "");
    answer(second);
    assertThat(sum(again)).isEqualTo(12);
  }

  @Test
  void sequenceThatFindsNoPlaceWaitsUntilOneEnds() {
    var one = submit(1, 1, "s");
    var two = submit(1, 2, "s");
    var third = submit(5, 3, "s");
    assertThat(first.runs).hasSize(1);
    assertThat(second.runs).hasSize(1);
    answer(first);
    var last = submit(1, 1, "e");
    answer(first);
    sum(one);
    assertThat(sum(last)).isEqualTo(2);
    answer(first);
    assertThat(sum(third)).isEqualTo(5);
    answer(second);
    sum(two);
  }

  @Test
  void silentSequenceIsForgottenAndItsPlaceIsGivenAway() {
    var one = submit(1, 1, "s");
    answer(first);
    sum(one);
    clock.addAndGet(MAX_IDLE.toNanos());
    onCallerContext(() -> {
      scheduler.look();
      return "looked";
    });
    assertFails(submit(1, 1, ""), ErrorCode.INVALID_ARGUMENT, "must specify the START flag");
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  @Test
  void startOnALiveSequenceBeginsAnew() {
    var one = submit(1, 1, "s");
    var two = submit(5, 1, "s");
    answer(first);
    answer(first);
    sum(one);
    assertThat(sum(two)).isEqualTo(5);
  }

  @Test
  void whatHasEndedGoesOnOnlyWithStart() {
    var end = submit(1, 1, "se");
    assertFails(submit(1, 1, ""), ErrorCode.INVALID_ARGUMENT, "sequence 1 to model 'sum'");
    var anew = submit(2, 1, "s");
    answer(first);
    sum(end);
    answer(first);
    assertThat(sum(anew)).isEqualTo(2);
  }

  @Test
  void runThatFailsLeavesTheStateAsItWas() {
    var one = submit(1, 1, "s");
    answer(first);
    sum(one);
    var bad = submit(2, 1, "");
    onCallerContext(() -> {
      first.fail(InferenceException.invalid("bad"));
      return first;
    });
    assertFails(bad, ErrorCode.INVALID_ARGUMENT, "bad");
    var three = submit(3, 1, "");
    answer(first);
    assertThat(sum(three)).isEqualTo(4);
  }

  @Test
  void moreThanTheQueueHoldsIsRefused() {
    var one = submit(1, 1, "s");
    List<Future<InferenceResponse>> waiting =
        List.of(submit(1, 1, ""), submit(1, 1, ""), submit(1, 1, ""));
    assertFails(submit(1, 1, ""), ErrorCode.RESOURCE_EXHAUSTED, "Exceeds maximum queue size");
    for (int i = 0; i < 4; i++) {
      answer(first);
    }
    sum(one);
    assertThat(sum(waiting.getLast())).isEqualTo(4);
    sum(waiting.get(0));
    sum(waiting.get(1));
  }

  @Test
  void waitingTooLongForASlotIsRejected() {
    start(1, Duration.ofMillis(5));
    var one = submit(1, 1, "s");
    var two = submit(1, 2, "s");
    var third = submit(5, 3, "s");
    clock.addAndGet(Duration.ofMillis(5).toNanos());
    onCallerContext(() -> {
      scheduler.look();
      return "looked";
    });
    assertFails(third, ErrorCode.UNAVAILABLE, "timeout of the corresponding sequence");
    answer(first);
    answer(second);
    sum(one);
    sum(two);
    assertFails(submit(1, 3, ""), ErrorCode.INVALID_ARGUMENT, "must specify the START flag");
  }

  @Test
  void cancellingWhileItsSequenceRunsReachesTheRun() {
    InferenceRequest request = request(1, 1, "s", Deadline.NONE);
    var one = submit(request);
    request.cancel();
    assertThat(Objects.requireNonNull(first.runs.peek()).request().isCancelled()).isTrue();
    answer(first);
    sum(one);
  }

  @Test
  void whatFollowsAStartThatWasGivenUpInLineIsRefused() {
    var one = submit(1, 1, "s");
    var two = submit(1, 2, "s");
    InferenceRequest start = request(5, 3, "s", Deadline.NONE);
    var third = submit(start);
    var next = submit(5, 3, "");
    start.cancel();
    onCallerContext(() -> {
      scheduler.look();
      return "looked";
    });
    assertFails(third, ErrorCode.CANCELLED, "the caller left before the model ran");
    answer(first);
    answer(second);
    sum(one);
    sum(two);
    var end = submit(1, 1, "e");
    answer(first);
    sum(end);
    assertFails(next, ErrorCode.INVALID_ARGUMENT, "must specify the START flag");
  }

  @Test
  void whatFollowsASecondStartThatWasGivenUpDoesNotGoOnFromTheFirst() {
    var one = submit(1, 1, "s");
    var two = submit(2, 1, "e");
    InferenceRequest again = request(5, 1, "s", Deadline.NONE);
    var third = submit(again);
    var next = submit(7, 1, "");
    again.cancel();
    onCallerContext(() -> {
      scheduler.look();
      return "looked";
    });
    assertFails(third, ErrorCode.CANCELLED, "the caller left before the model ran");
    answer(first);
    answer(first);
    sum(one);
    assertThat(sum(two)).isEqualTo(3);
    assertFails(next, ErrorCode.INVALID_ARGUMENT, "must specify the START flag");
  }

  @Test
  void closingRefusesWhatWaitsAndFreesEveryState() {
    var one = submit(1, 1, "s");
    answer(first);
    sum(one);
    var two = submit(1, 2, "s");
    var third = submit(5, 3, "s");
    answer(second);
    sum(two);
    onCallerContext(() -> {
      scheduler.close();
      return "closed";
    });
    assertFails(third, ErrorCode.UNAVAILABLE, "is being unloaded");
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
    assertFails(submit(1, 1, ""), ErrorCode.UNAVAILABLE, "is being unloaded");
  }

  @Test
  void requestWithoutASequenceIsRefused() {
    assertFails(submit(1, 0, "s"), ErrorCode.INVALID_ARGUMENT, "must specify a non-zero");
    assertThat(model.leases()).isZero();
  }
}
