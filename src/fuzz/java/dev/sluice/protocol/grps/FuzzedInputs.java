package dev.sluice.protocol.grps;

import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.testing.DeclaredModel;
import java.util.List;

/** Models for messages of grps. */
public final class FuzzedInputs {
  /** Of three inputs, of one of any shape, and of texts. */
  public static final List<DeclaredModel> MODELS =
      List.of(
          DeclaredModel.of(
              new TensorSpec("x", DataType.FP32, Shape.of(-1)),
              new TensorSpec("n", DataType.INT8, Shape.of(-1)),
              new TensorSpec("t", DataType.BYTES, Shape.of(-1))),
          DeclaredModel.of(new TensorSpec("x", DataType.FP64, Shape.UNKNOWN)),
          DeclaredModel.of(new TensorSpec("t", DataType.BYTES, Shape.of(-1, 1))));

  private FuzzedInputs() {}
}
