package dev.sluice.benchmark;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.Tensors;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A model {@code m} of rows that answers nothing, and answers that nothing computed. */
public final class ServedForBenchmark {
  public static final String MODEL = "m";
  private static final long SEED = 7;

  private final Signature signature;
  private final FakePlanes planes;

  /**
   * @param columns of the input {@code x}; the output {@code y} has ten
   */
  public ServedForBenchmark(int columns) {
    signature =
        new Signature(
            Signature.DEFAULT,
            "",
            List.of(new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY, columns))),
            List.of(new TensorSpec("y", DataType.FP32, Shape.of(Shape.ANY, 10))));
    var metadata =
        new ModelMetadata("onnxruntime_onnx", Map.of(signature.name(), signature), true, 0);
    planes = new FakePlanes().serve(MODEL, 1, metadata, _ -> List.of());
  }

  /** Data plane and control plane of a server with only this model. */
  public FakePlanes planes() {
    return planes;
  }

  /** An answer of random numbers, the caller's to close. */
  public InferenceResponse answer(int rows) {
    var random = new Random(SEED);
    float[] values = new float[rows * 10];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextFloat() * 2 - 1;
    }
    var y = new NamedTensor("y", Tensors.floats(Shape.of(rows, 10), values));
    return new InferenceResponse(new ModelId(MODEL, 1), signature, List.of(y));
  }
}
