package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;

/**
 * The head of one input of a request, without its values.
 *
 * @param name the input's name
 * @param type its element type
 * @param shape its full shape, whose element count and byte size are known not to overflow
 */
public record InputHead(String name, DataType type, Shape shape) {
  private static final String TOO_LARGE = " to exceed maximum size of 9223372036854775807";

  /**
   * Checks before anything is allocated that a shape can be that of a tensor.
   *
   * @throws InferenceException with INVALID_ARGUMENT if its count of elements or bytes overflows
   */
  public InputHead {
    long elements;
    try {
      elements = shape.elementCount();
    } catch (ArithmeticException e) {
      throw tooLarge(name, shape, "element count");
    }
    if (elements > Long.MAX_VALUE / Math.max(type.byteSize(), 1)) {
      throw tooLarge(name, shape, "byte size");
    }
  }

  private static InferenceException tooLarge(String name, Shape shape, String what) {
    return InferenceException.invalid(
        "shape "
            + Excerpt.of(shape)
            + " of input '"
            + Excerpt.of(name)
            + "' causes total "
            + what
            + TOO_LARGE);
  }
}
