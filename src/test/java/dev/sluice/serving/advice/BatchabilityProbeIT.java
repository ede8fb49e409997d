package dev.sluice.serving.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BatchabilityProbeIT {
  @TempDir private Path folder;

  private static Optional<String> advice(RuntimeProvider runtime, Path model) {
    long before = TensorMemory.openBlocks();
    try (ModelSession session = runtime.open(TestModels.source(model))) {
      return BatchabilityProbe.advice(session, session.metadata(), System::nanoTime);
    } finally {
      assertThat(TensorMemory.openBlocks()).isEqualTo(before);
    }
  }

  @Test
  void theRowsOfAClassifierAreIndependent() {
    assertThat(advice(new OnnxRuntimeProvider(), TestModels.sample("digits", "1")).orElseThrow())
        .startsWith("rows are independent");
  }

  @Test
  void theRowsOfASavedModelAreIndependent() {
    Path model = TestModels.sample("half_plus_two", "1");
    assertThat(advice(new TensorflowRuntimeProvider(), model).orElseThrow())
        .startsWith("rows are independent");
  }

  @Test
  void theRowsOfAModelThatSubtractsTheirSumAreNot() throws IOException {
    new OnnxModelWriter()
        .input("x", OnnxModelWriter.FLOAT, "rows", "3")
        .output("y", OnnxModelWriter.FLOAT, "rows", "3")
        .node("ReduceSum", "sum", "x")
        .node("Sub", "y", "x", "sum")
        .writeTo(folder);
    assertThat(advice(new OnnxRuntimeProvider(), folder).orElseThrow())
        .startsWith("rows depend on each other");
  }
}
