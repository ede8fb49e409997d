package dev.sluice.scheduling.generator;

import dev.sluice.config.GeneratorConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What each row of a stream goes on with, and which of them have come to their end. */
final class Choice {
  private final String output;
  private final DataType type;
  private final Shape shape;
  private final TokenChooser chooser;
  private final List<Integer> stops;
  private final BitSet stopped;
  private final int[] chosen;

  /**
   * @param type the element type of the input that it goes to
   * @param rank that input's rank
   */
  Choice(GeneratorConfig.Next next, List<Integer> stops, DataType type, int rank, int rows) {
    this.output = next.from();
    this.type = type;
    this.shape = shape(rank, rows);
    this.chooser = new TokenChooser(next.sampling());
    this.stops = stops;
    this.stopped = new BitSet(rows);
    this.chosen = new int[rows];
  }

  private static Shape shape(int rank, int rows) {
    var dims = new long[rank];
    Arrays.fill(dims, 1);
    if (rank > 0) {
      dims[0] = rows;
    }
    return Shape.of(dims);
  }

  /**
   * Chooses for each row.
   *
   * @param logits borrowed: {@code [rows, candidates]}, or with a dimension between them of which
   *     the last one counts
   * @throws InferenceException if they are of another shape
   */
  void choose(Tensor logits) {
    Shape given = logits.shape();
    int rank = given.rank();
    long count = rank == 0 ? 0 : given.dim(rank - 1);
    long all = given.elementCount();
    if (count == 0 || count > Integer.MAX_VALUE || all % (count * chosen.length) != 0) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "output %s has shape %s; wanted candidates for %d rows"
              .formatted(output, given, chosen.length));
    }
    long perRow = all / chosen.length;
    for (int row = 0; row < chosen.length; row++) {
      chosen[row] = chooser.choose(logits, (row + 1) * perRow - count, (int) count);
      if (stops.contains(chosen[row])) {
        stopped.set(row);
      }
    }
  }

  /** Whether every row has met a token that ends it. */
  boolean isOver() {
    return stopped.cardinality() == chosen.length;
  }

  /** What was chosen, in the form of the input that it goes to. The caller's. */
  Tensor toTensor() {
    Tensor tensor = Tensor.allocate(type, shape);
    for (int row = 0; row < chosen.length; row++) {
      if (type == DataType.INT64) {
        tensor.data().setAtIndex(ValueLayout.JAVA_LONG, row, chosen[row]);
      } else {
        tensor.data().setAtIndex(ValueLayout.JAVA_INT, row, chosen[row]);
      }
    }
    return tensor;
  }
}
