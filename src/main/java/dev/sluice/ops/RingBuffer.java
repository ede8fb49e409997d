package dev.sluice.ops;

/**
 * The newest values of a row, zeros at first.
 *
 * <p>Fixed memory from the start; adding is constant time. One thread at a time.
 */
final class RingBuffer {
  private final double[] values;
  private int next;

  RingBuffer(int length) {
    this.values = new double[length];
  }

  /** Adds a value in place of the oldest; true if all have been replaced since it last was. */
  boolean add(double value) {
    values[next] = value;
    next = (next + 1) % values.length;
    return next == 0;
  }

  double mean() {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  double most() {
    double most = values[0];
    for (double value : values) {
      most = Math.max(most, value);
    }
    return most;
  }

  /** Copies all of them, the oldest first, and returns the index behind them. */
  int copy(double[] to, int at) {
    int old = values.length - next;
    System.arraycopy(values, next, to, at, old);
    System.arraycopy(values, 0, to, at + old, next);
    return at + values.length;
  }
}
