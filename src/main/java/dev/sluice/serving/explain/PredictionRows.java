package dev.sluice.serving.explain;

import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Rows that the model is to answer, written and answered one after the other.
 *
 * <p>Implementations write rows into one tensor of a chunk and read the answers in the same order.
 * One event loop.
 */
interface PredictionRows {
  /** Returns whether there are rows that were not written yet. */
  boolean hasNext();

  /** Writes the next row. */
  void write(MemorySegment row);

  /**
   * Takes the answer to the earliest row that has none yet.
   *
   * @param output the explained output, borrowed
   * @param row which of its rows
   * @param width the numbers in each of them
   */
  void answered(Tensor output, int row, int width);
}
