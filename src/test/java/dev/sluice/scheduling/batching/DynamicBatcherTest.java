package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.QueuePolicy;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.inference.SequenceStep;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.QueueIntake.Offer;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.WaitingRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DynamicBatcherTest {
  private static final int LARGEST = 8;
  private static final long DELAY = 1_000;

  private final WaitingRequests requests = new WaitingRequests();
  private final List<PendingRequest> made = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private final Batch batch = new Batch();
  private QueueConfig queueing = new QueueConfig(1_000, Duration.ofNanos(100_000), 2, 1);
  private ModelQueue queue = new ModelQueue(queueing);
  private BatchRules rules = rules(config(DELAY));
  private DynamicBatcher batcher = batcher(config(DELAY));

  @AfterEach
  void nothingIsLeftOpen() {
    for (PendingRequest pending : made) {
      pending.request().close();
    }
    requests.close();
  }

  private static BatchingConfig config(long delayNanos, Integer... preferred) {
    return new BatchingConfig(
        LARGEST, true, Duration.ofNanos(delayNanos), List.of(preferred), List.of());
  }

  private static BatchRules rules(BatchingConfig config) {
    return new BatchRules(config, FakeSession.METADATA);
  }

  private DynamicBatcher batcher(BatchingConfig config) {
    rules = rules(config);
    return new DynamicBatcher(queue, rules, config, clock::get);
  }

  private PendingRequest offer(InferenceRequest request) {
    PendingRequest pending = requests.waiting(request, rules.rows(request), clock.get());
    made.add(pending);
    assertThat(queue.offer(pending)).isEqualTo(Offer.TAKEN);
    return pending;
  }

  private PendingRequest offer(int rows) {
    return offer(requests.request(Deadline.NONE, 0, new float[rows]));
  }

  private PendingRequest offerWide(int rows) {
    Tensor x = Tensor.allocate(DataType.FP32, Shape.of(rows, 3));
    return offer(requests.request(Deadline.NONE, 0, List.of(), x));
  }

  private void assertDispatched(PendingRequest... members) {
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);
    assertThat(batch.members()).containsExactly(members);
  }

  private void assertWaits(long nanos) {
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.WAIT);
    assertThat(batch.waitNanos()).isEqualTo(nanos);
  }

  @Test
  void fullBatchLeavesAtOnce() {
    assertDispatched(offer(3), offer(4), offer(1));
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.IDLE);
  }

  @Test
  void partialBatchLeavesWhenItsOldestRequestHasWaitedTheQueueDelay() {
    PendingRequest first = offer(3);
    clock.set(400);
    PendingRequest second = offer(4);
    assertWaits(600);
    clock.set(DELAY);
    assertDispatched(first, second);
  }

  @Test
  void withoutADelayWhateverWaitsLeavesAtOnce() {
    batcher = batcher(config(0));
    assertDispatched(offer(3), offer(1));
  }

  @Test
  void batchTooFullForTheNextRequestIsDispatchedAtOnceAndTheSmallerOneBehindItStillJoins() {
    PendingRequest first = offer(3);
    PendingRequest second = offer(4);
    PendingRequest tooMany = offer(2);
    assertDispatched(first, second);
    PendingRequest joins = offer(6);
    assertDispatched(tooMany, joins);
  }

  @Test
  void preferredSizeLeavesAtOnceAndTheRestWaits() {
    batcher = batcher(config(DELAY, 4, 2));
    PendingRequest first = offer(1);
    assertWaits(DELAY);
    PendingRequest second = offer(1);
    assertDispatched(first, second);
    PendingRequest third = offer(3);
    PendingRequest fourth = offer(1);
    PendingRequest fifth = offer(1);
    assertDispatched(third, fourth);
    assertWaits(DELAY);
    clock.set(DELAY);
    assertDispatched(fifth);
  }

  @Test
  void inputsOfABatchHaveNoMoreBytesThanTheyMay() {
    batcher = batcher(config(DELAY).withJoined(LARGEST, 4 * Float.BYTES));
    PendingRequest first = offer(3);
    PendingRequest tooMany = offer(2);
    PendingRequest joins = offer(1);
    assertDispatched(first);
    PendingRequest larger = offer(5);
    assertDispatched(tooMany, joins);
    clock.set(DELAY);
    assertDispatched(larger);
  }

  @Test
  void requestLargerThanTheBatchRunsAlone() {
    PendingRequest large = offer(LARGEST + 1);
    PendingRequest small = offer(LARGEST);
    assertDispatched(large);
    assertDispatched(small);
  }

  @Test
  void requestThatCannotJoinIsDispatchedAtOncePastABatchDelay() {
    PendingRequest waits = offer(1);
    PendingRequest scalar = offer(requests.request(Deadline.NONE, 0, List.of(), scalar()));
    assertDispatched(scalar);
    clock.set(DELAY);
    assertDispatched(waits);
  }

  private static Tensor scalar() {
    return Tensor.allocate(DataType.FP32, Shape.SCALAR);
  }

  @Test
  void otherShapesAreSkippedOverAndKeepTheirOrder() {
    batcher = batcher(config(0));
    PendingRequest first = offer(1);
    PendingRequest wide = offerWide(1);
    PendingRequest second = offer(2);
    PendingRequest wider = offerWide(2);
    assertDispatched(first, second);
    assertDispatched(wide, wider);
  }

  @Test
  void fullBatchOfAnotherShapeDoesNotWaitForTheOldestRequest() {
    PendingRequest waits = offer(1);
    PendingRequest full = offerWide(LARGEST);
    assertDispatched(full);
    assertWaits(DELAY);
    clock.set(DELAY);
    assertDispatched(waits);
  }

  @Test
  void lowerLevelsOnlyFillWhatHigherOnesLeaveFree() {
    batcher = batcher(config(0));
    PendingRequest low = offer(requests.request(Deadline.NONE, 2, new float[2]));
    PendingRequest lower = offer(requests.request(Deadline.NONE, 2, new float[5]));
    PendingRequest high = offer(requests.request(Deadline.NONE, 1, new float[6]));
    assertDispatched(high, low);
    assertDispatched(lower);
  }

  @Test
  void goneRequestsTakeNoPlaceInABatch() {
    PendingRequest first = offer(4);
    PendingRequest cancelled = offer(4);
    PendingRequest expired = offer(requests.request(Deadline.at(10), 0, new float[4]));
    PendingRequest last = offer(4);
    cancelled.request().cancel();
    clock.set(10);
    assertDispatched(first, last);
    assertThat(batch.abandoned()).containsExactly(cancelled, expired);
    assertThat(queue.size()).isZero();
  }

  @Test
  void requestThatHasWaitedTheQueueTimeoutIsAbandoned() {
    PendingRequest late = offer(1);
    clock.set(100_000);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.IDLE);
    assertThat(batch.abandoned()).containsExactly(late);
    assertThat(late.abandonedInQueue(clock.get()))
        .hasMessage("Request timeout expired after 0 ms in the queue");
  }

  private void policies(QueuePolicy... policies) {
    queue =
        new ModelQueue(
            new QueueConfig(
                1_000, Duration.ZERO, policies.length, 1, List.of(policies), Optional.empty()));
    batcher = batcher(config(0));
  }

  private PendingRequest offer(int rows, long timeoutMicros, long priority) {
    InferenceRequest plain = requests.request(Deadline.NONE, priority, new float[rows]);
    var options = new RequestOptions(priority, timeoutMicros, SequenceStep.NONE, Map.of());
    return offer(
        new InferenceRequest(
            plain.model(),
            plain.signature(),
            plain.inputs(),
            plain.outputs(),
            plain.deadline(),
            plain.requestId(),
            options));
  }

  @Test
  void requestMayShortenItsTimeInTheQueueWhereThePolicyLetsIt() {
    policies(new QueuePolicy(false, Duration.ofMillis(1), true, 0));
    PendingRequest shortened = offer(1, 10, 0);
    PendingRequest lengthened = offer(1, 5_000, 0);
    clock.set(10_000);
    assertDispatched(lengthened);
    assertThat(batch.abandoned()).containsExactly(shortened);
    assertThat(shortened.abandonedInQueue(clock.get()).code()).isEqualTo(ErrorCode.UNAVAILABLE);
    PendingRequest late = offer(1, 5_000, 0);
    clock.set(10_000 + 1_000_000);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.IDLE);
    assertThat(batch.abandoned()).containsExactly(late);
  }

  @Test
  void requestHasNoSayWhereThePolicyDoesNotLetIt() {
    policies(new QueuePolicy(false, Duration.ZERO, false, 0));
    PendingRequest patient = offer(1, 10, 0);
    clock.set(1_000_000_000);
    assertDispatched(patient);
  }

  @Test
  void requestsThatAreLateRunBehindAllOthersOfTheirLevelIfThePolicyDelaysThem() {
    policies(
        new QueuePolicy(true, Duration.ofMillis(1), false, 0),
        new QueuePolicy(false, Duration.ZERO, false, 0));
    PendingRequest late = offer(LARGEST, 0, 1);
    PendingRequest alsoLate = offer(LARGEST, 0, 1);
    clock.set(1_000_000);
    PendingRequest lower = offer(LARGEST, 0, 2);
    PendingRequest fresh = offer(LARGEST, 0, 1);
    assertDispatched(fresh);
    assertThat(batch.abandoned()).isEmpty();
    assertDispatched(late);
    clock.set(9_000_000);
    assertDispatched(alsoLate);
    assertDispatched(lower);
    assertThat(queue.size()).isZero();
  }

  @Test
  void onlyOneWorkerWaitsAndTheOthersRest() {
    PendingRequest waits = offer(1);
    assertWaits(DELAY);
    assertThat(batcher.needsWorker()).isFalse();
    var other = new Batch();
    assertThat(CompletableFuture.supplyAsync(() -> batcher.take(other)).join())
        .isEqualTo(BatchDecision.IDLE);
    PendingRequest full = offerWide(LARGEST);
    assertThat(CompletableFuture.supplyAsync(() -> batcher.take(other)).join())
        .isEqualTo(BatchDecision.DISPATCH);
    assertThat(other.members()).containsExactly(full);
    clock.set(DELAY);
    assertDispatched(waits);
    assertThat(batcher.needsWorker()).isFalse();
  }

  private RequestTrace traced(PendingRequest pending) {
    var scope = new RequestTrace.Scope(true, false, 0);
    RequestTrace trace = RequestTrace.begin(scope, new AtomicLong()::incrementAndGet, clock::get);
    trace.belongsTo(new RequestTrace.SpanId("", ""));
    pending.request().traceBy(trace, "");
    return trace;
  }

  private static List<Long> delays(RequestTrace trace) {
    return trace.events().stream()
        .filter(Event.Delayed.class::isInstance)
        .map(event -> ((Event.Delayed) event).since())
        .toList();
  }

  @Test
  void batchDelayIsRecordedOfThoseThatWaitedForOthersAndNotOfTheLast() {
    clock.set(5);
    RequestTrace first = traced(offer(3));
    clock.set(10);
    assertWaits(DELAY - 5);
    clock.set(100);
    RequestTrace second = traced(offer(3));
    clock.set(200);
    RequestTrace last = traced(offer(2));
    clock.set(210);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);
    assertThat(batch.members()).hasSize(3);

    assertThat(delays(first)).containsExactly(10L);
    assertThat(delays(second)).containsExactly(100L);
    assertThat(delays(last)).isEmpty();
  }

  @Test
  void batchDelayIsRecordedOfARequestThatNoOtherJoined() {
    RequestTrace alone = traced(offer(1));
    assertWaits(DELAY);
    clock.set(DELAY);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);
    assertThat(delays(alone)).containsExactly(0L);
  }

  @Test
  void waitingForAWorkerIsNoBatchDelay() {
    RequestTrace late = traced(offer(1));
    clock.set(10 * DELAY);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);
    RequestTrace next = traced(offer(1));
    clock.set(20 * DELAY);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);

    assertThat(delays(late)).isEmpty();
    assertThat(delays(next)).isEmpty();
  }

  @Test
  void requestThatLeavesWhileAWorkerWaitsForOthersHasNoBatchDelay() {
    RequestTrace waits = traced(offer(1));
    assertWaits(DELAY);
    clock.set(10);
    RequestTrace full = traced(offerWide(LARGEST));
    var other = new Batch();
    assertThat(CompletableFuture.supplyAsync(() -> batcher.take(other)).join())
        .isEqualTo(BatchDecision.DISPATCH);
    clock.set(DELAY);
    assertThat(batcher.take(batch)).isEqualTo(BatchDecision.DISPATCH);

    assertThat(delays(full)).isEmpty();
    assertThat(delays(waits)).containsExactly(0L);
  }

  @Test
  void whatArrivesIsLookedAfterByTheWorkerThatWaitsAndElseNeedsOne() {
    assertThat(batcher.arrived(offer(1))).isFalse();
    assertThat(batcher.needsWorker()).isTrue();
    assertWaits(DELAY);
    assertThat(batcher.arrived(offer(1))).isTrue();
    assertThat(batcher.needsWorker()).isFalse();
  }
}
