package dev.sluice.runtime;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;

/** Outputs that a response can carry. */
public final class CarriedOutputs {
  private CarriedOutputs() {}

  /**
   * Requires that an output has a type that protocols can carry.
   *
   * @throws InferenceException with UNIMPLEMENTED if it has none
   */
  public static void require(TensorSpec output) {
    if (output.type() == DataType.UNSUPPORTED) {
      throw new InferenceException(
          ErrorCode.UNIMPLEMENTED,
          "output '%s' is of type %s, which no protocol here can carry"
              .formatted(output.name(), output.nativeType()));
    }
  }
}
