package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.RequestTrace;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.WaitingRequests;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchRunnerTest {
  private final WaitingRequests requests = new WaitingRequests();
  private final FakeSession model = new FakeSession();
  private final AtomicLong clock = new AtomicLong();
  private final List<PendingRequest> answered = new ArrayList<>();
  private final Batch batch = new Batch();
  private final VersionMeter meter =
      new Telemetry(clock::get, () -> Instant.EPOCH).version(new ModelId("test", 1));
  private BatchRunner runner = runner(List.of());

  @AfterEach
  void nothingIsLeftOpen() {
    assertThat(requests.leases()).isZero();
    requests.close();
  }

  private BatchRunner runner(List<Integer> allowed) {
    var config = new BatchingConfig(8, true, Duration.ZERO, List.of(), allowed);
    return new BatchRunner(
        new BatchRules(config, FakeSession.METADATA),
        model,
        meter.worker(),
        new CircuitBreaker(meter.model(), BreakerConfig.DEFAULT, clock::get),
        clock::get,
        answered::add);
  }

  private PendingRequest member(float... x) {
    return member(requests.request(Deadline.NONE, 0, x), x.length);
  }

  private PendingRequest member(InferenceRequest request, int rows) {
    PendingRequest member = requests.waiting(request, rows, 0);
    batch.members.add(member);
    return member;
  }

  private void run() {
    runner.run(batch);
    answered.forEach(PendingRequest::deliver);
  }

  /** The floats of the first output. Closes the answer. */
  private static float[] values(PendingRequest member) {
    try (InferenceResponse response = Objects.requireNonNull(member.answer().result())) {
      return Tensors.toFloats(response.outputs().getFirst().tensor());
    }
  }

  private static void assertFailed(PendingRequest member, ErrorCode code, String text) {
    assertThatThrownBy(
            () -> {
              throw Objects.requireNonNull(member.answer().cause());
            })
        .isInstanceOfSatisfying(InferenceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessage(text);
  }

  @Test
  void joinedRequestsRunOnceAndEachGetsItsOwnRows() {
    PendingRequest one = member(1, 2);
    PendingRequest other = member(10);
    run();
    assertThat(model.sizes()).containsExactly(3L);
    assertThat(values(one)).containsExactly(2, 3);
    assertThat(values(other)).containsExactly(11);
  }

  @Test
  void requestThatRunsAloneIsNotCopied() {
    PendingRequest alone = member(1);
    run();
    assertThat(values(alone)).containsExactly(2);
    assertThat(model.sizes()).containsExactly(1L);
  }

  @Test
  void eachGetsTheOutputsThatItWantsInItsOrder() {
    PendingRequest all = member(1);
    PendingRequest one =
        member(
            requests.request(Deadline.NONE, 0, List.of("doubled"), Tensors.floats(Shape.of(1), 10)),
            1);
    PendingRequest turned =
        member(
            requests.request(
                Deadline.NONE, 0, List.of("doubled", "y"), Tensors.floats(Shape.of(1), 20)),
            1);
    run();
    assertThat(model.runs()).isEqualTo(1);
    assertThat(names(all)).containsExactly("y", "doubled");
    assertThat(names(one)).containsExactly("doubled");
    assertThat(names(turned)).containsExactly("doubled", "y");
    assertThat(values(all)).containsExactly(2);
    assertThat(values(one)).containsExactly(20);
    assertThat(values(turned)).containsExactly(40);
  }

  private static List<String> names(PendingRequest member) {
    return Objects.requireNonNull(member.answer().result()).outputs().stream()
        .map(NamedTensor::name)
        .toList();
  }

  @Test
  void oneBadRequestDoesNotFailItsNeighbours() {
    PendingRequest good = member(1);
    PendingRequest bad = member(FakeSession.POISON);
    PendingRequest fine = member(3);
    run();
    assertThat(values(good)).containsExactly(2);
    assertFailed(bad, ErrorCode.INVALID_ARGUMENT, "poison");
    assertThat(values(fine)).containsExactly(4);
    assertThat(model.sizes()).containsExactly(3L, 1L, 1L, 1L);
  }

  @Test
  void runThatFailsIsInTheTraceOfItsRequest() {
    PendingRequest bad = member(FakeSession.POISON);
    RequestTrace trace =
        RequestTrace.begin(
            new RequestTrace.Scope(true, false, 0), new AtomicLong()::incrementAndGet, () -> 0);
    trace.belongsTo(new RequestTrace.SpanId("trace", "span"));
    bad.request().traceBy(trace, "");
    run();

    assertThat(trace.end()).hasAtLeastOneElementOfType(RequestTrace.Event.Ran.class);
  }

  @Test
  void modelThatDoesNotKeepRowsApartRunsEachAloneFromThenOn() {
    model.joinRows();
    PendingRequest one = member(1, 2);
    PendingRequest other = member(3);
    run();
    assertThat(model.sizes()).containsExactly(3L, 2L, 1L);
    assertThat(values(one)).containsExactly(1);
    assertThat(values(other)).containsExactly(1);
  }

  @Test
  void batchIsPaddedToTheNextAllowedSizeInvisibly() {
    runner = runner(List.of(4, 8));
    PendingRequest one = member(1, 2);
    PendingRequest other = member(10);
    run();
    assertThat(model.sizes()).containsExactly(4L);
    assertThat(values(one)).containsExactly(2, 3);
    assertThat(values(other)).containsExactly(11);
  }

  @Test
  void requestThatRunsAloneIsPaddedTooUnlessItHasAnAllowedSize() {
    runner = runner(List.of(2, 8));
    PendingRequest alone = member(5, 6, 7);
    run();
    assertThat(values(alone)).containsExactly(6, 7, 8);
    batch.members.clear();
    answered.clear();
    PendingRequest allowed = member(1, 2);
    run();
    assertThat(values(allowed)).containsExactly(2, 3);
    assertThat(model.sizes()).containsExactly(8L, 2L);
  }

  @Test
  void paddingThatTheModelMixesUpIsLeftOut() {
    runner = runner(List.of(8));
    model.joinRows();
    PendingRequest alone = member(1, 2);
    run();
    assertThat(model.sizes()).containsExactly(8L, 2L);
    assertThat(values(alone)).containsExactly(1);
  }

  @Test
  void rowTooLargeToBeRepeatedIsRefused() {
    runner = runner(List.of(8));
    Tensor large = Tensor.allocate(DataType.FP32, Shape.of(1, 1 << 24));
    PendingRequest alone = member(requests.request(Deadline.NONE, 0, List.of(), large), 1);
    run();
    assertThat(model.runs()).isZero();
    assertFailed(
        alone,
        ErrorCode.INVALID_ARGUMENT,
        "a row of 67108864 bytes is too large to be repeated 7 times, up to the next of the model's"
            + " allowed_batch_sizes");
  }

  @Test
  void expiredRequestIsAnsweredWithoutReachingTheModel() {
    PendingRequest expired = requests.waiting(requests.request(Deadline.at(1), 0, 1f), 1, 0);
    batch.abandoned.add(expired);
    clock.set(7_000_000);
    run();
    assertThat(model.runs()).isZero();
    assertFailed(
        expired, ErrorCode.DEADLINE_EXCEEDED, "Request timeout expired after 7 ms in the queue");
  }

  @Test
  void lateResultsAreDropped() throws Exception {
    PendingRequest late = member(requests.request(Deadline.at(1_000_000), 0, 1f), 1);
    PendingRequest patient = member(2);
    CountDownLatch gate = model.hold();
    var running = CompletableFuture.runAsync(() -> runner.run(batch));
    model.awaitRun();
    clock.set(2_000_000);
    runner.watch().look();
    assertThat(model.isInterrupted()).isFalse();
    gate.countDown();
    running.join();
    answered.forEach(PendingRequest::deliver);
    assertFailed(
        late,
        ErrorCode.DEADLINE_EXCEEDED,
        "Request timeout expired after 2 ms while the model ran");
    assertThat(values(patient)).containsExactly(3);
  }

  @Test
  void runIsInterruptedWhenTheLastOfItsCallersHasLeft() throws Exception {
    PendingRequest one = member(1);
    PendingRequest other = member(requests.request(Deadline.at(5), 0, 2f), 1);
    CountDownLatch gate = model.hold();
    model.failWith(new InferenceException(ErrorCode.INTERNAL, "interrupted"));
    var running = CompletableFuture.runAsync(() -> runner.run(batch));
    model.awaitRun();
    one.request().cancel();
    assertThat(gate.getCount()).isEqualTo(1);
    clock.set(5);
    runner.watch().look();
    running.join();
    answered.forEach(PendingRequest::deliver);
    assertFailed(one, ErrorCode.CANCELLED, "the caller left while the model ran");
    assertThat(ErrorCode.of(Objects.requireNonNull(other.answer().cause())))
        .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
    assertThat(model.runs()).isEqualTo(1);
    assertThat(model.isInterrupted()).isFalse();
  }

  @Test
  void aJoinedRunThatIsEndedIsAnsweredToAllWithTheReasonAndNotRepeated() throws Exception {
    PendingRequest first = member(1);
    PendingRequest second = member(2);
    model.hold();
    model.failWith(new InferenceException(ErrorCode.CANCELLED, "interrupted"));
    var running = CompletableFuture.runAsync(() -> runner.run(batch));
    model.awaitRun();
    var why = new InferenceException(ErrorCode.UNAVAILABLE, "it took too long");
    assertThat(runner.watch().end(why)).isTrue();
    running.join();
    answered.forEach(PendingRequest::deliver);
    assertFailed(first, ErrorCode.UNAVAILABLE, "it took too long");
    assertFailed(second, ErrorCode.UNAVAILABLE, "it took too long");
    assertThat(model.runs()).isEqualTo(1);
    assertThat(runner.watch().end(why)).as("nothing runs").isFalse();
  }

  @Test
  void cancellingAfterTheRunDoesNotInterruptTheNext() {
    PendingRequest first = member(1);
    run();
    first.request().cancel();
    assertThat(model.isInterrupted()).isFalse();
    assertThat(values(first)).containsExactly(2);
  }
}
