package dev.sluice.scheduling.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.WaitingRequests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepAlignmentTest {
  private static final Map<String, Integer> AXES = Map.of("x", 1);
  private static final int LENGTH = 1 << 20;

  private final WaitingRequests requests = new WaitingRequests();
  private final List<InferenceRequest> made = new ArrayList<>();

  @AfterEach
  void nothingIsLeftOpen() {
    made.reversed().forEach(InferenceRequest::close);
    requests.close();
  }

  /** A decode step of one row. */
  private PendingRequest step(int length) {
    InferenceRequest stream = requests.request(Deadline.NONE, 0, 1);
    Tensor cache = Tensor.allocate(DataType.FP32, Shape.of(1, length));
    var padding = new LoopStep.Padding(AXES, PaddingSide.LEFT, 0, length, LENGTH, Map.of());
    InferenceRequest step =
        stream.step(
            stream.signature(), List.of(new NamedTensor("x", cache)), List.of("y"), padding);
    made.add(stream);
    made.add(step);
    return requests.waiting(step, 1, 0);
  }

  @Test
  void decodeStepsTooLargeToBeRepeatedAreRefusedAsOtherRowsAre() {
    List<PendingRequest> steps = List.of(step(LENGTH - 1), step(LENGTH));
    long before = TensorMemory.openBytes();
    assertThatThrownBy(() -> BatchAssembler.assemble(steps, null, 100))
        .hasMessageStartingWith("a row of 4194304 bytes is too large to be repeated 98 times");
    assertThat(TensorMemory.openBytes()).isEqualTo(before);
  }
}
