package dev.sluice.protocol.oip;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.FakePlanes;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Models for requests of Open Inference V2: one of each type, one of two inputs, one of texts. */
public final class FuzzedModels {
  /** Names of the models. */
  public static final List<String> NAMES = List.of("m", "types", "text");

  private final FakePlanes planes =
      new FakePlanes()
          .serve(
              "m",
              1,
              model(4, spec("X", DataType.FP32, -1, 2), spec("S", DataType.BYTES, -1, 2)),
              _ -> List.of())
          .serve("types", 1, model(0, types()), _ -> List.of())
          .serve("text", 1, model(0, spec("text", DataType.BYTES, -1)), _ -> List.of());

  private static TensorSpec spec(String name, DataType type, long... shape) {
    return new TensorSpec(name, type, Shape.of(shape));
  }

  private static TensorSpec[] types() {
    return Stream.of(DataType.values())
        .filter(type -> type != DataType.UNSUPPORTED)
        .map(type -> new TensorSpec(type.name(), type, Shape.UNKNOWN, true, type.name(), ""))
        .toArray(TensorSpec[]::new);
  }

  private static ModelMetadata model(int batch, TensorSpec... inputs) {
    List<TensorSpec> outputs = List.of(spec("Y", DataType.FP32, -1, 2));
    var signature = new Signature(Signature.DEFAULT, "", List.of(inputs), outputs);
    return new ModelMetadata("onnxruntime_onnx", Map.of(Signature.DEFAULT, signature), true, batch);
  }

  /** Returns what serves them. */
  public FakePlanes planes() {
    return planes;
  }

  /** Requires that no lease is left. */
  public void requireReleased() {
    if (planes.leases() != 0) {
      throw new AssertionError(planes.leases() + " leases are not released");
    }
  }
}
