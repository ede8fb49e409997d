package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.RawTensors;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import dev.sluice.transport.Body;

/**
 * Inputs that came as raw bytes: binary tensor data over HTTP, raw contents over gRPC.
 *
 * <p>Numbers are checked by size alone; text has a length before each element.
 */
public final class RawInputs {
  private RawInputs() {}

  /**
   * Returns a tensor with a copy of the bytes, which the caller owns.
   *
   * @param model the model's name, for messages
   * @throws InferenceException with INVALID_ARGUMENT if the bytes are not such a tensor
   */
  public static Tensor read(InputHead input, Body raw, String model) {
    check(input, raw, model);
    return RawTensors.read(input.type(), input.shape(), raw);
  }

  private static void check(InputHead input, Body raw, String model) {
    if (input.type() == DataType.BYTES) {
      checkBytes(input, raw, model);
    } else {
      checkSize(input, raw.length(), model);
    }
    if (input.type() == DataType.BOOL && !RawTensors.areBooleans(raw)) {
      throw InferenceException.invalid(
          "input '"
              + input.name()
              + "' for model '"
              + model
              + "' has a BOOL element that is neither 0 nor 1");
    }
  }

  /**
   * Checks that a tensor of a fixed-size type has as many bytes as its shape says.
   *
   * @throws InferenceException with INVALID_ARGUMENT if not
   */
  public static void checkSize(InputHead input, long bytes, String model) {
    long wanted = RawTensors.byteSize(input.type(), input.shape());
    if (bytes != wanted) {
      throw InferenceException.invalid(
          "input byte size mismatch for input '"
              + input.name()
              + "' for model '"
              + model
              + "'. Expected "
              + wanted
              + ", got "
              + bytes);
    }
  }

  private static void checkBytes(InputHead input, Body raw, String model) {
    long wanted = input.shape().elementCount();
    RawTensors.Count count = RawTensors.count(raw, wanted);
    String where = " for inference input '" + input.name() + "' for model '" + model + "'";
    switch (count.fault()) {
      case NONE -> {}
      case TOO_FEW -> throw tooFew(input, count.elements(), model);
      case TOO_MANY -> throw tooMany(input, count.elements(), model);
      case INCOMPLETE_LENGTH ->
          throw InferenceException.invalid(
              "incomplete string length indicator"
                  + where
                  + ": each of the "
                  + wanted
                  + " elements begins with a length of 4 bytes, after "
                  + count.elements()
                  + " elements fewer are left");
      case INCOMPLETE_ELEMENT ->
          throw InferenceException.invalid(
              "incomplete string data"
                  + where
                  + ": the length of element "
                  + count.elements()
                  + " reaches beyond the end");
    }
  }

  /** Returns the error for a BYTES input with too few elements. */
  public static InferenceException tooFew(InputHead input, long got, String model) {
    return InferenceException.invalid(
        "expected "
            + input.shape().elementCount()
            + " string elements for inference input '"
            + input.name()
            + "' for model '"
            + model
            + "', got "
            + got);
  }

  /** Returns the error for a BYTES input with too many elements. */
  public static InferenceException tooMany(InputHead input, long got, String model) {
    return InferenceException.invalid(
        "unexpected number of string elements "
            + got
            + " for inference input '"
            + input.name()
            + "' for model '"
            + model
            + "', expecting "
            + input.shape().elementCount());
  }
}
