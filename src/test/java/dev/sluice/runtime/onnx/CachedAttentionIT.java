package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.inference.Signature;
import dev.sluice.runtime.ModelSession;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.testing.OnnxModelWriter;
import dev.sluice.testing.RecycledBlocks;
import dev.sluice.testing.Tensors;
import dev.sluice.testing.TestModels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attention over a cache with room behind the shorter rows, after a neighbour's run. */
class CachedAttentionIT {
  private static final int HEADS = 2;
  private static final int HEAD_SIZE = 8;
  private static final int WIDTH = HEADS * HEAD_SIZE;
  private static final float NEIGHBOURS = 777;
  private static final float OWN = 1;

  @TempDir Path folder;

  private ModelSession open() throws IOException {
    int type = OnnxModelWriter.FLOAT;
    String size = Integer.toString(HEAD_SIZE);
    return new OnnxRuntimeProvider()
        .open(
            TestModels.source(
                new OnnxModelWriter()
                    .input("x", type, "batch", "1", Integer.toString(WIDTH))
                    .input("past", type, "batch", "2", "length", size)
                    .input("ends", OnnxModelWriter.INT64, "batch")
                    .input("total", OnnxModelWriter.INT64, "1")
                    .output("y", type, "batch", "1", Integer.toString(WIDTH))
                    .output("keys", type, "batch", "2", "all", size)
                    .output("values", type, "batch", "2", "all", size)
                    .node("Squeeze", "largest", "total")
                    .node("", "Cast", Map.of("to", 6L), List.of("last"), "ends")
                    .node("", "Cast", Map.of("to", 6L), List.of("sum"), "largest")
                    .node(
                        OnnxModelWriter.MICROSOFT,
                        "GroupQueryAttention",
                        Map.of("num_heads", (long) HEADS, "kv_num_heads", (long) HEADS),
                        List.of("y", "keys", "values"),
                        "x",
                        "x",
                        "x",
                        "past",
                        "past",
                        "last",
                        "sum")
                    .writeTo(folder)));
  }

  private static Tensor filled(Shape shape, float value) {
    float[] values = new float[(int) shape.elementCount()];
    Arrays.fill(values, value);
    return Tensors.floats(shape, values);
  }

  /** Requires that all of a run's values are of its own request. */
  private static void run(ModelSession session, int length, float value, long... ends) {
    Signature signature = session.metadata().signature("").orElseThrow();
    long rows = ends.length;
    List<NamedTensor> inputs =
        List.of(
            new NamedTensor("x", filled(Shape.of(rows, 1, WIDTH), value)),
            new NamedTensor("past", filled(Shape.of(rows, HEADS, length, HEAD_SIZE), value)),
            new NamedTensor("ends", Tensors.integers(Shape.of(rows), ends)),
            new NamedTensor(
                "total",
                Tensors.integers(Shape.of(1), Arrays.stream(ends).max().orElseThrow() + 1)));
    try {
      List<NamedTensor> outputs = session.run(signature, inputs, signature.outputs());
      try {
        for (NamedTensor output : outputs) {
          for (float found : Tensors.toFloats(output.tensor())) {
            // Weights that add up to one leave rounding errors.
            assertThat(found == 0 || Math.abs(found - value) < 0.01f)
                .as("%f in %s", found, output.name())
                .isTrue();
          }
        }
      } finally {
        NamedTensor.closeAll(outputs);
      }
    } finally {
      NamedTensor.closeAll(inputs);
    }
  }

  @Test
  void whatLiesBehindAShorterRowIsNoNeighboursCache() throws IOException {
    try (ModelSession session = open()) {
      for (int i = 0; i < 4; i++) {
        run(session, 8, NEIGHBOURS, 7, 7);
        RecycledBlocks.fill();
        run(session, 8, OWN, 5, 2);
      }
    }
  }

  @Test
  void theSameHoldsForRunsOfNewShapesWhoseMemoryIsTheRuntimesOwn() throws IOException {
    try (ModelSession session = open()) {
      for (int length = 8; length < 40; length++) {
        run(session, length, NEIGHBOURS, length - 1, length - 1);
        run(session, length + 40, OWN, length, 2);
        run(session, length + 80, OWN, 3, 2);
      }
    }
  }
}
