package dev.sluice.serving.explain;

/**
 * The mean of what each element did, and how far off it may be (Welford's way).
 *
 * <p>Welford's method is stable: neither a large mean nor many samples lose the digits of the
 * variance.
 */
final class RunningMean {
  private final double[] means;
  private final double[] squares;
  private int count;

  RunningMean(int elements) {
    this.means = new double[elements];
    this.squares = new double[elements];
  }

  /** Adds one sample. */
  void add(double[] contributions) {
    count++;
    for (int i = 0; i < means.length; i++) {
      double off = contributions[i] - means[i];
      means[i] += off / count;
      squares[i] += off * (contributions[i] - means[i]);
    }
  }

  double[] means() {
    return means;
  }

  /** Returns the standard errors of the means: there are at least two samples. */
  double[] errors() {
    double[] errors = new double[squares.length];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = Math.sqrt(squares[i] / (count - 1) / count);
    }
    return errors;
  }
}
