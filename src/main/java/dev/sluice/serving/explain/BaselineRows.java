package dev.sluice.serving.explain;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * The rows that stand for "nothing known", as the model takes them.
 *
 * @param data the rows, one behind the other, on the heap
 * @param rows how many there are
 */
record BaselineRows(MemorySegment data, int rows) {
  /**
   * Rows of numbers; of a row with a single number every element is that one.
   *
   * @throws InferenceException with FAILED_PRECONDITION if a row has another number of elements
   */
  static BaselineRows rows(double[][] rows, DataType type, int elements) {
    long size = Math.multiplyExact((long) rows.length * elements, type.byteSize());
    MemorySegment data = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
    for (int row = 0; row < rows.length; row++) {
      double[] values = rows[row];
      if (values.length != elements && values.length != 1) {
        throw wrong("row " + row + " has " + values.length + " elements, instances " + elements);
      }
      for (int i = 0; i < elements; i++) {
        double value = values[values.length == 1 ? 0 : i];
        DoubleElements.put(data, type, (long) row * elements + i, value);
      }
    }
    return new BaselineRows(data, rows.length);
  }

  /** Returns one row that a request brought. */
  static BaselineRows of(Tensor row) {
    MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(row.byteSize())]);
    return new BaselineRows(copy.copyFrom(row.data()), 1);
  }

  static InferenceException wrong(String what) {
    return new InferenceException(
        ErrorCode.FAILED_PRECONDITION, "the baseline of the model's explanations: " + what);
  }
}
