package dev.sluice.inference;

import dev.sluice.tensor.PaddingSide;
import java.util.Map;

/**
 * How the rows of a decode step may be padded, so that streams of different lengths run together:
 * the mask hides the padding from the model.
 *
 * @param axes of each input that has such rows, the dimension that is their length; the same object
 *     for all steps of a model
 * @param side the side of the rows on which the padding is; the same for all steps of a model
 * @param present elements that are padding already, in each of those inputs
 * @param length elements of a row without its padding
 * @param most by how many elements steps that join may differ
 */
public record StepPadding(
    Map<String, Integer> axes, PaddingSide side, long present, long length, long most) {
  /** Returns whether a step may join another. */
  @SuppressWarnings("ReferenceEquality") // Steps of one model have the same object.
  public boolean joins(StepPadding other) {
    return axes == other.axes && Math.abs(length - other.length) <= most;
  }

  /** Returns the dimension that is the length of an input's rows; 0 if it has none. */
  public int axis(String input) {
    return axes.getOrDefault(input, 0);
  }
}
