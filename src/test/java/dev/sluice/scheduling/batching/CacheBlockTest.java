package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.BatchingConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeSession;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.WaitingRequests;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Decode steps whose caches have two elements, of one number each, and whose masks have three. */
class CacheBlockTest {
  private static final Map<String, Integer> AXES = Map.of("past", 1, "mask", 1);

  private final long blocksBefore = TensorMemory.openBlocks();
  private final WaitingRequests requests = new WaitingRequests();
  private final List<InferenceRequest> made = new ArrayList<>();
  private final CacheBlocks blocks = new CacheBlocks(rules(List.of()));

  @AfterEach
  void nothingIsLeftOpen() {
    made.reversed().forEach(InferenceRequest::close);
    requests.close();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }

  private static BatchRules rules(List<Integer> sizes) {
    return new BatchRules(
        new BatchingConfig(64, true, Duration.ZERO, List.of(), sizes), FakeSession.METADATA);
  }

  /** A step of a stream of so many elements, the new one among them, behind padding. */
  private PendingRequest step(Tensor cache, int length, int padding) {
    InferenceRequest stream = requests.request(Deadline.NONE, 0, 1);
    var mask = new long[padding + length];
    Arrays.fill(mask, padding, mask.length, 1);
    InferenceRequest step =
        stream.step(
            stream.signature(),
            List.of(
                new NamedTensor("past", cache),
                new NamedTensor("mask", Tensors.integers(Shape.of(1, mask.length), mask)),
                new NamedTensor("x", Tensors.floats(Shape.of(1), length))),
            List.of("y"),
            new LoopStep.Padding(AXES, PaddingSide.LEFT, padding, length, 100, Map.of()));
    made.add(stream);
    made.add(step);
    return requests.waiting(step, 1, 0);
  }

  /**
   * Rows of what a run has left: row {@code n} has the elements {@code 10n} and {@code 10n + 1}.
   */
  private static List<Tensor> ran(int rows) {
    var values = new float[2 * rows];
    for (int row = 0; row < rows; row++) {
      values[2 * row] = 10 * row;
      values[2 * row + 1] = 10 * row + 1;
    }
    var slices = new ArrayList<Tensor>();
    try (var shared = new SharedTensor(Tensors.floats(Shape.of(rows, 2, 1), values))) {
      for (int row = 0; row < rows; row++) {
        slices.add(shared.next(1));
      }
    }
    return slices;
  }

  /** Steps of all rows but some, whose streams have ended. */
  private List<PendingRequest> without(List<Tensor> rows, Integer... ended) {
    var left = new ArrayList<PendingRequest>();
    for (int row = 0; row < rows.size(); row++) {
      if (List.of(ended).contains(row)) {
        rows.get(row).close();
      } else {
        left.add(step(rows.get(row), 3, 0));
      }
    }
    return left;
  }

  private static float[] values(List<NamedTensor> inputs, String name) {
    return inputs.stream()
        .filter(input -> input.name().equals(name))
        .map(input -> Tensors.toFloats(input.tensor()))
        .findFirst()
        .orElseThrow();
  }

  private static List<Long> mask(List<NamedTensor> inputs) {
    Tensor mask = inputs.get(1).tensor();
    return LongStream.range(0, mask.elementCount())
        .mapToObj(i -> mask.data().getAtIndex(ValueLayout.JAVA_LONG, i))
        .toList();
  }

  private CacheBlock found(List<PendingRequest> members) {
    return Objects.requireNonNull(blocks.find(members));
  }

  @Test
  void rowsThatRanTogetherStayWhereTheyAre() {
    List<Tensor> rows = ran(3);
    CacheBlock block = found(without(rows));
    List<NamedTensor> inputs = block.assemble();
    assertThat(inputs.getFirst().tensor().data().address())
        .isEqualTo(rows.getFirst().data().address());
    assertThat(values(inputs, "past")).containsExactly(0, 1, 10, 11, 20, 21);
    NamedTensor.closeAll(inputs);
  }

  @Test
  void theRowOfAStreamThatHasEndedRunsAlong() {
    List<Tensor> rows = ran(4);
    CacheBlock block = found(without(rows, 1));
    List<NamedTensor> inputs = block.assemble();
    assertThat(block.size()).isEqualTo(4);
    assertThat(block.gap(0)).isZero();
    assertThat(block.gap(1)).isEqualTo(1);
    assertThat(block.gap(2)).isZero();
    assertThat(inputs.getFirst().tensor().data().address())
        .isEqualTo(rows.getFirst().data().address());
    assertThat(inputs.getLast().tensor().shape()).isEqualTo(Shape.of(4));
    NamedTensor.closeAll(inputs);
  }

  @Test
  void rowsAtTheEndsOfTheBlockDoNotRunAlong() {
    CacheBlock block = found(without(ran(6), 0, 5));
    List<NamedTensor> inputs = block.assemble();
    assertThat(values(inputs, "past")).containsExactly(10, 11, 20, 21, 30, 31, 40, 41);
    assertThat(block.size()).isEqualTo(4);
    NamedTensor.closeAll(inputs);
  }

  @Test
  void aStreamThatComesTakesTheRowOfOneThatHasEnded() {
    List<PendingRequest> members = without(ran(3), 1);
    PendingRequest comes = step(Tensors.floats(Shape.of(1, 1, 1), 7), 2, 0);
    members.addFirst(comes);
    CacheBlock block = found(members);
    assertThat(members.get(1)).isSameAs(comes);
    List<NamedTensor> inputs = block.assemble();
    assertThat(values(inputs, "past")).containsExactly(0, 1, 0, 7, 20, 21);
    assertThat(mask(inputs)).containsExactly(1L, 1L, 1L, 0L, 1L, 1L, 1L, 1L, 1L);
    assertThat(values(inputs, "x")).containsExactly(3, 2, 3);
    NamedTensor.closeAll(inputs);
  }

  @Test
  void paddingThatAStreamBringsAlongIsCut() {
    List<PendingRequest> members = without(ran(3), 1);
    members.addLast(step(Tensors.floats(Shape.of(1, 4, 1), 0, 0, 0, 7), 2, 3));
    List<NamedTensor> inputs = found(members).assemble();
    assertThat(values(inputs, "past")).containsExactly(0, 1, 0, 7, 20, 21);
    NamedTensor.closeAll(inputs);
  }

  @Test
  void nothingIsWrittenIntoABlockOfWhichSomebodyElseHasARow() {
    List<Tensor> rows = ran(4);
    List<PendingRequest> members = without(rows, 1);
    PendingRequest waits = members.removeLast();
    members.addFirst(step(Tensors.floats(Shape.of(1, 1, 1), 7), 2, 0));
    assertThat(blocks.find(members)).isNull();
    assertThat(Tensors.toFloats(waits.request().inputs().getFirst().tensor()))
        .containsExactly(30, 31);
  }

  @Test
  void aRowTooLongForTheBlockHasAllOfThemCopied() {
    List<PendingRequest> members = without(ran(3), 1);
    members.addLast(step(Tensors.floats(Shape.of(1, 3, 1), 7, 8, 9), 4, 0));
    assertThat(blocks.find(members)).isNull();
  }

  @Test
  void aStreamThatFindsNoRowHasAllOfThemCopied() {
    List<PendingRequest> members = without(ran(3));
    members.addLast(step(Tensors.floats(Shape.of(1, 1, 1), 7), 2, 0));
    assertThat(blocks.find(members)).isNull();
  }

  @Test
  void aBlockIsKeptUntilWhatRanInVainWouldHaveMadeACopy() {
    List<PendingRequest> members = without(ran(4), 2);
    // A row of three in each run, in which three rows of three are needed.
    assertThat(blocks.find(members)).isNotNull();
    assertThat(blocks.find(members)).isNotNull();
    assertThat(blocks.find(members)).isNotNull();
    assertThat(blocks.find(members)).isNull();
    assertThat(blocks.find(members)).isNotNull();
  }

  @Test
  void aBlockOfAnAllowedSizeStaysOfThatSize() {
    List<PendingRequest> members = without(ran(4), 3);
    CacheBlock block =
        Objects.requireNonNull(new CacheBlocks(rules(List.of(1, 4, 64))).find(members));
    List<NamedTensor> inputs = block.assemble();
    assertThat(block.size()).isEqualTo(4);
    assertThat(values(inputs, "past")).hasSize(8);
    assertThat(values(inputs, "x")).containsExactly(3, 3, 3, 3);
    NamedTensor.closeAll(inputs);
  }

  @Test
  void rowsOfTheirOwnAreNoBlock() {
    List<PendingRequest> members =
        new ArrayList<>(
            List.of(
                step(Tensors.floats(Shape.of(1, 2, 1), 1, 2), 3, 0),
                step(Tensors.floats(Shape.of(1, 2, 1), 3, 4), 3, 0)));
    assertThat(blocks.find(members)).isNull();
  }
}
