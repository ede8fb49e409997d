package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.ElementValue;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorSpec;
import java.util.stream.IntStream;

/**
 * An input that the server makes: a mask, or the lengths themselves.
 *
 * @param spec the model's
 * @param mask whether it is 1 for each element of a row, and 0 behind them
 */
public record MadeInput(TensorSpec spec, boolean mask) {
  /**
   * Makes it.
   *
   * @param rows of each request
   * @param lengths of each request's rows
   * @param size rows of the result; those beyond are as the first
   */
  Tensor make(int[] rows, long[] lengths, int size) {
    long longest = longest(lengths);
    BatchAssembler.requireLittlePadding(
        longest * spec.type().byteSize(), size - IntStream.of(rows).sum());
    Tensor tensor = Tensor.allocate(spec.type(), mask ? Shape.of(size, longest) : Shape.of(size));
    try {
      fill(tensor, rows, lengths, size);
      return tensor;
    } catch (RuntimeException | Error e) {
      tensor.close();
      throw e;
    }
  }

  private void fill(Tensor tensor, int[] rows, long[] lengths, int size) {
    long longest = longest(lengths);
    int row = 0;
    for (int i = 0; i < rows.length; i++) {
      for (int k = 0; k < rows[i]; k++) {
        fill(tensor, row++, lengths[i], longest);
      }
    }
    while (row < size) {
      fill(tensor, row++, lengths[0], longest);
    }
  }

  private void fill(Tensor tensor, int row, long length, long longest) {
    long element = spec.type().byteSize();
    if (mask) {
      long begin = row * longest * element;
      value(spec.type(), 1).fill(tensor.data(), begin, length * element);
      value(spec.type(), 0)
          .fill(tensor.data(), begin + length * element, (longest - length) * element);
    } else {
      value(spec.type(), length).fill(tensor.data(), row * element, element);
    }
  }

  private static ElementValue value(DataType type, long number) {
    return ElementValue.of(type, (double) number)
        .orElseThrow(
            () -> InferenceException.invalid("a row of %d elements is too long".formatted(number)));
  }

  private static long longest(long[] lengths) {
    long longest = 0;
    for (long length : lengths) {
      longest = Math.max(longest, length);
    }
    return longest;
  }
}
