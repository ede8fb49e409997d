package dev.sluice.protocol.tfs;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.Tensors;
import java.util.List;

/** A serialized tf.Example that is read into columns: a digit for the number of its copies. */
final class TfExampleFuzz implements FuzzTarget {
  private static final Signature SIGNATURE =
      new Signature(
          "serving_default",
          "",
          List.of(
              new TensorSpec("x", DataType.FP32, Shape.of(-1, -1)),
              new TensorSpec("n", DataType.INT64, Shape.of(-1, 2)),
              new TensorSpec("o", DataType.INT8, Shape.of(-1, 1), true, "o", ""),
              new TensorSpec("s", DataType.BYTES, Shape.of(-1))),
          List.of());

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    byte[][] examples = new byte[1 + bytes.below(3)][];
    java.util.Arrays.fill(examples, bytes.rest());
    try (Tensor tensor = Tensors.bytes(Shape.of(examples.length), examples)) {
      List<NamedTensor> columns = Rejection.request(() -> FeatureColumns.read(SIGNATURE, tensor));
      if (columns != null) {
        NamedTensor.closeAll(columns);
      }
    }
  }
}
