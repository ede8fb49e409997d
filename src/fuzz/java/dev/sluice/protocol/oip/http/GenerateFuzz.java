package dev.sluice.protocol.oip.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.List;

/** Bodies of Triton's generate extension. */
final class GenerateFuzz implements FuzzTarget {
  private static final Signature SIGNATURE =
      new Signature(
          Signature.DEFAULT,
          "",
          List.of(
              new TensorSpec("text", DataType.BYTES, Shape.of(Shape.ANY, 1)),
              new TensorSpec("n", DataType.INT32, Shape.of(1)),
              new TensorSpec("stream", DataType.BOOL, Shape.of(1)),
              new TensorSpec("x", DataType.FP32, Shape.of(Shape.ANY, 2, Shape.ANY))),
          List.of());

  @Override
  public void accept(byte[] input) {
    GenerateRequest read = Rejection.request(() -> GenerateRequest.read(Body.of(input), SIGNATURE));
    if (read != null) {
      try (read) {
        NamedTensor.closeAll(read.takeInputs());
      }
    }
  }
}
