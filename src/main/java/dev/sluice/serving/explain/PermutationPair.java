package dev.sluice.serving.explain;

import dev.sluice.tensor.DataType;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Two ways from a row of the baseline to an instance, changing one element at a time: in a random
 * order, and in the reverse of it. Asked about are the rows between the two ends.
 */
final class PermutationPair {
  private final int[] order;
  private final MemorySegment from;
  private final MemorySegment to;
  private final long elementBytes;
  private final MemorySegment row;
  private final double[] values;
  private int written;
  private int answered;

  /**
   * @param from the baseline's row
   * @param to the instance, as long
   * @param random draws the order
   */
  PermutationPair(MemorySegment from, MemorySegment to, DataType type, SplittableRandom random) {
    this.from = from;
    this.to = to;
    this.elementBytes = type.byteSize();
    this.order = shuffled((int) (to.byteSize() / elementBytes), random);
    this.row = MemorySegment.ofArray(new byte[(int) to.byteSize()]);
    this.values = new double[2 * (order.length - 1)];
  }

  private static int[] shuffled(int length, SplittableRandom random) {
    int[] order = new int[length];
    for (int i = 0; i < length; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  boolean isWritten() {
    return written == values.length;
  }

  boolean isAnswered() {
    return answered == values.length;
  }

  /** Writes the next row on the way. */
  void write(MemorySegment into) {
    int between = order.length - 1;
    boolean reverse = written >= between;
    int step = reverse ? written - between : written;
    if (step == 0) {
      row.copyFrom(from);
    }
    long at = element(step, reverse) * elementBytes;
    MemorySegment.copy(to, at, row, at, elementBytes);
    into.copyFrom(row);
    written++;
  }

  private int element(int step, boolean reverse) {
    return order[reverse ? order.length - 1 - step : step];
  }

  /** Takes the answer to the earliest row that has none. */
  void answer(double value) {
    values[answered++] = value;
  }

  /**
   * Adds what each element did, as the mean of both ways.
   *
   * @param start the answer to the baseline's row
   * @param end the answer to the instance
   */
  void addTo(RunningMean tally, double start, double end) {
    double[] contributions = new double[order.length];
    follow(contributions, false, start, end);
    follow(contributions, true, start, end);
    tally.add(contributions);
  }

  private void follow(double[] contributions, boolean reverse, double start, double end) {
    int between = order.length - 1;
    double before = start;
    for (int step = 0; step < order.length; step++) {
      double value = step == between ? end : values[reverse ? between + step : step];
      contributions[element(step, reverse)] += (value - before) / 2;
      before = value;
    }
  }
}
