package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.config.model.BreakerConfig;
import dev.sluice.config.model.QueueConfig;
import dev.sluice.config.model.ragged.RaggedConfig.Limits;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import dev.sluice.scheduling.queue.ModelQueue;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.QueueIntake.Offer;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.ElementValue;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.WaitingRequests;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows of different lengths: who runs with whom, how they are padded, what each gets back. */
class RaggedBatchTest {
  private static final int LARGEST = 8;
  private static final ElementValue PAD = ElementValue.of(DataType.FP32, 9).orElseThrow();
  private static final TensorSpec MASK =
      new TensorSpec("mask", DataType.INT64, Shape.of(Shape.ANY, Shape.ANY));
  private static final TensorSpec LENGTHS =
      new TensorSpec("lengths", DataType.INT32, Shape.of(Shape.ANY));

  private final WaitingRequests requests = new WaitingRequests();
  private final FakeSession model = new FakeSession();
  private final AtomicLong clock = new AtomicLong();
  private final List<PendingRequest> made = new ArrayList<>();
  private final Batch batch = new Batch();
  private final ModelQueue queue =
      new ModelQueue(new QueueConfig(1_000, Duration.ofSeconds(1), 1, 1));
  private final VersionMeter meter =
      new Telemetry(clock::get, () -> Instant.EPOCH).version(new ModelId("test", 1));
  private BatchRules rules = rules(0, new Limits(0.25, 100));

  private static PaddedRows padded(Limits limits, MadeInput... made) {
    return new PaddedRows(
        Signature.DEFAULT,
        Map.of("x", 1, "mask", 1),
        Map.of("x", PAD),
        List.of(made),
        Map.of("y", 1),
        limits);
  }

  private static BatchRules rules(long mostBytes, Limits limits) {
    var config =
        new BatchingConfig(LARGEST, true, Duration.ZERO, List.of(), List.of(), false, 0, mostBytes);
    return new BatchRules(config, FakeSession.METADATA, padded(limits));
  }

  @AfterEach
  void nothingIsLeftOpen() {
    made.forEach(pending -> pending.request().close());
    requests.close();
  }

  private PendingRequest waiting(InferenceRequest request) {
    PendingRequest pending = requests.waiting(request, rules.rows(request), 0);
    made.add(pending);
    return pending;
  }

  private PendingRequest row(float... x) {
    return waiting(
        requests.request(Deadline.NONE, 0, List.of(), Tensors.floats(Shape.of(1, x.length), x)));
  }

  private PendingRequest offer(int rows, int length) {
    Tensor x = Tensor.allocate(DataType.FP32, Shape.of(rows, length));
    PendingRequest pending = waiting(requests.request(Deadline.NONE, 0, List.of(), x));
    assertThat(queue.offer(pending)).isEqualTo(Offer.TAKEN);
    return pending;
  }

  private List<PendingRequest> next() {
    var config = new BatchingConfig(LARGEST, true, Duration.ZERO, List.of(), List.of());
    new DynamicBatcher(queue, rules, config, clock::get).take(batch);
    return batch.members();
  }

  private void run(PendingRequest... members) {
    batch.members.clear();
    batch.members.addAll(List.of(members));
    new BatchRunner(
            rules,
            model,
            meter.worker(),
            new CircuitBreaker(meter.model(), BreakerConfig.DEFAULT, clock::get),
            clock::get,
            PendingRequest::deliver)
        .run(batch);
  }

  /** The values of an output. Closes the answer. */
  private static float[] values(PendingRequest member, Shape shape) {
    try (InferenceResponse response = Objects.requireNonNull(member.answer().result())) {
      Tensor y = response.outputs().getFirst().tensor();
      assertThat(y.shape()).isEqualTo(shape);
      return Tensors.toFloats(y);
    }
  }

  @Test
  void rowsOfAboutTheSameLengthLeaveTogetherAndOthersInTheirOwnBatch() {
    PendingRequest shortRow = offer(1, 5);
    PendingRequest longRow = offer(1, 80);
    PendingRequest middling = offer(1, 12);
    assertThat(next()).containsExactly(shortRow, middling);
    assertThat(next()).containsExactly(longRow);
  }

  @Test
  void noRowIsPaddedByMoreThan8ElementsAndThePartThatMayBePadding() {
    rules = rules(0, new Limits(0.25, 0));
    PendingRequest first = offer(1, 40);
    PendingRequest longest = offer(1, 56);
    PendingRequest shortest = offer(1, 34);
    PendingRequest tooShort = offer(1, 33);
    assertThat(next()).containsExactly(first, longest, shortest);
    assertThat(next()).containsExactly(tooShort);
  }

  @Test
  void batchHasNoMoreElementsThanItMayWithItsPadding() {
    PendingRequest first = offer(4, 20);
    PendingRequest second = offer(1, 21);
    assertThat(next()).containsExactly(first);
    assertThat(next()).containsExactly(second);
  }

  @Test
  void rowsWithMoreElementsThanABatchMayHaveRunAlone() {
    assertThat(offer(2, 51).rows()).isZero();
    assertThat(offer(2, 50).rows()).isEqualTo(2);
  }

  @Test
  void bytesOfABatchAreCountedWithItsPadding() {
    rules = rules(159, new Limits(1, 0));
    PendingRequest first = offer(1, 10);
    PendingRequest second = offer(1, 20);
    assertThat(next()).containsExactly(first);
    assertThat(next()).containsExactly(second);
    rules = rules(160, new Limits(1, 0));
    PendingRequest third = offer(1, 10);
    PendingRequest fourth = offer(1, 20);
    assertThat(next()).containsExactly(third, fourth);
  }

  @Test
  void eachGetsTheRowsThatItGetsAloneInTheLengthThatItSent() {
    PendingRequest shorter = row(1, 2);
    PendingRequest longer = row(10, 20, 30);
    run(shorter, longer);
    assertThat(model.sizes()).containsExactly(2L);
    assertThat(values(shorter, Shape.of(1, 2))).containsExactly(2, 3);
    assertThat(values(longer, Shape.of(1, 3))).containsExactly(11, 21, 31);
  }

  @Test
  void outputThatHasNoLengthIsGivenAsTheModelMadeIt() {
    PendingRequest shorter = row(1, 2);
    PendingRequest longer = row(10, 20, 30);
    run(shorter, longer);
    try (InferenceResponse response = Objects.requireNonNull(shorter.answer().result());
        InferenceResponse other = Objects.requireNonNull(longer.answer().result())) {
      assertThat(Tensors.toFloats(response.outputs().getLast().tensor())).containsExactly(2, 4, 18);
      assertThat(other.outputs()).hasSize(2);
    }
  }

  @Test
  void oneBadRequestDoesNotFailItsNeighbours() {
    PendingRequest good = row(1, 2);
    PendingRequest bad = row(FakeSession.POISON, 2, 3);
    run(good, bad);
    assertThat(values(good, Shape.of(1, 2))).containsExactly(2, 3);
    assertThatThrownBy(
            () -> {
              throw Objects.requireNonNull(bad.answer().cause());
            })
        .isInstanceOf(InferenceException.class)
        .hasMessage("poison");
    assertThat(model.sizes()).containsExactly(2L, 1L, 1L);
  }

  @Test
  void cancelledAndExpiredMembersAreLeftOutOfTheAnswersAndTheOthersGetTheirs() {
    PendingRequest cancelled = row(1, 2, 3, 4);
    PendingRequest late =
        waiting(
            requests.request(
                Deadline.at(5), 0, List.of(), Tensors.floats(Shape.of(1, 3), 1, 2, 3)));
    PendingRequest patient = row(5, 6);
    model.alsoRun(() -> {
      cancelled.request().cancel();
      clock.set(6);
    });
    run(cancelled, late, patient);
    assertThat(ErrorCode.of(Objects.requireNonNull(cancelled.answer().cause())))
        .isEqualTo(ErrorCode.CANCELLED);
    assertThat(ErrorCode.of(Objects.requireNonNull(late.answer().cause())))
        .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
    assertThat(values(patient, Shape.of(1, 2))).containsExactly(6, 7);
    assertThat(model.runs()).isEqualTo(1);
  }

  private static BatchRules flat() {
    var config = new BatchingConfig(LARGEST, true, Duration.ZERO, List.of(), List.of());
    var shape = new FlatRows.Scatter("x", Shape.of(Shape.ANY, Shape.ANY));
    return new BatchRules(
        config,
        FakeSession.METADATA,
        new FlatRows(Set.of("x"), Map.of(), Map.of("y", shape, "doubled", shape)));
  }

  @Test
  void flatRequestsOfAnyLengthLeaveTogetherAndGetTheirOwnElements() {
    rules = flat();
    PendingRequest shorter = offer(1, 2);
    PendingRequest longer = offer(1, 3_000);
    assertThat(next()).containsExactly(shorter, longer);
    PendingRequest one = row(1, 2);
    PendingRequest other = row(3);
    run(one, other);
    assertThat(model.sizes()).containsExactly(3L);
    assertThat(values(one, Shape.of(1, 2))).containsExactly(2, 3);
    assertThat(values(other, Shape.of(1, 1))).containsExactly(4);
  }

  @Test
  void oneBadFlatRequestFailsNoOtherAndOneThatIsCancelledIsLeftOut() {
    rules = flat();
    PendingRequest bad = row(FakeSession.POISON, 2);
    PendingRequest good = row(1);
    run(bad, good);
    assertThat(ErrorCode.of(Objects.requireNonNull(bad.answer().cause())))
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(values(good, Shape.of(1, 1))).containsExactly(2);
    PendingRequest cancelled = row(1, 2, 3);
    PendingRequest patient = row(5, 6);
    model.alsoRun(() -> cancelled.request().cancel());
    run(cancelled, patient);
    assertThat(ErrorCode.of(Objects.requireNonNull(cancelled.answer().cause())))
        .isEqualTo(ErrorCode.CANCELLED);
    assertThat(values(patient, Shape.of(1, 2))).containsExactly(6, 7);
    assertThat(model.sizes()).containsExactly(3L, 1L, 1L, 5L);
  }

  @Test
  void maskAndLengthsAreMadeForRequestsWithoutThemAndPaddingIsCountedMemory() {
    PaddedRows rows =
        padded(new Limits(1, 0), new MadeInput(MASK, true), new MadeInput(LENGTHS, false));
    PendingRequest shorter = row(1);
    PendingRequest longer = row(1, 2, 3);
    long before = TensorMemory.openBytes();
    List<NamedTensor> inputs = BatchAssembler.assemble(List.of(shorter, longer), rows, 3);
    try {
      assertThat(inputs.stream().map(NamedTensor::name)).containsExactly("x", "mask", "lengths");
      assertThat(Tensors.toFloats(inputs.get(0).tensor()))
          .containsExactly(1, 9, 9, 1, 2, 3, 1, 9, 9);
      assertThat(integers(inputs.get(1).tensor())).containsExactly(1, 0, 0, 1, 1, 1, 1, 0, 0);
      assertThat(inputs.get(2).tensor().data().toArray(java.lang.foreign.ValueLayout.JAVA_INT))
          .containsExactly(1, 3, 1);
      assertThat(TensorMemory.openBytes() - before).isGreaterThanOrEqualTo(9 * 4 + 9 * 8 + 3 * 4);
    } finally {
      NamedTensor.closeAll(inputs);
    }
    assertThat(TensorMemory.openBytes()).isEqualTo(before);
  }

  @Test
  void rowsTooLargeToBeRepeatedAreRefusedAsThoseOfOneLengthAre() {
    rules = rules(0, new Limits(1, 0));
    PaddedRows rows = padded(new Limits(1, 0), new MadeInput(MASK, true));
    int length = 1 << 20;
    List<PendingRequest> members = List.of(row(new float[length]), row(new float[length - 1]));
    assertThatThrownBy(() -> BatchAssembler.assemble(members, rows, 100))
        .hasMessageStartingWith("a row of 4194304 bytes is too large to be repeated 98 times");
    List<PendingRequest> alike = List.of(row(new float[length]), row(new float[length]));
    assertThatThrownBy(() -> BatchAssembler.assemble(alike, rows, 60))
        .hasMessageStartingWith("a row of 8388608 bytes is too large to be repeated 58 times");
  }

  @Test
  void lengthThatTheModelsTypeCannotHoldIsRefusedAndLeavesNothingOpen() {
    rules = rules(0, new Limits(1, 0));
    var tiny = new TensorSpec("lengths", DataType.INT8, Shape.of(Shape.ANY));
    PaddedRows rows = padded(new Limits(1, 0), new MadeInput(tiny, false));
    List<PendingRequest> members = List.of(row(new float[200]));
    long before = TensorMemory.openBytes();
    assertThatThrownBy(() -> BatchAssembler.assemble(members, rows, 1))
        .hasMessage("a row of 200 elements is too long");
    assertThat(TensorMemory.openBytes()).isEqualTo(before);
  }

  private static long[] integers(Tensor tensor) {
    return tensor.data().toArray(java.lang.foreign.ValueLayout.JAVA_LONG);
  }

  @Test
  void rowsOfOneRequestThatAreNotEquallyLongAreRefusedByName() {
    PaddedRows rows = padded(new Limits(1, 0), new MadeInput(MASK, true));
    try (Tensor x = Tensors.floats(Shape.of(1, 3), 1, 2, 3);
        Tensor mask = Tensors.integers(Shape.of(1, 2), 1, 1)) {
      assertThatThrownBy(
              () -> rows.require(List.of(new NamedTensor("x", x), new NamedTensor("mask", mask))))
          .hasMessage(
              "input \"mask\" has shape [1,2]; wanted 3 elements along dimension 1, as input"
                  + " \"x\" of shape [1,3] has");
    }
    try (Tensor none = Tensors.floats(Shape.of(1_000_000, 1_000_000, 0))) {
      assertThatThrownBy(() -> rows.require(List.of(new NamedTensor("x", none))))
          .hasMessage(
              "input \"x\" has shape [1000000,1000000,0]; wanted rows with elements along"
                  + " dimension 1");
    }
  }
}
