package dev.sluice.boot.infer;

/**
 * How far numbers may be apart, as NumPy's {@code allclose} has it: {@code |a - b| <= absolute +
 * relative * |a|}.
 */
record Tolerance(double relative, double absolute) {
  /** Returns whether a number is near enough to the one that was recorded. */
  boolean covers(double recorded, double now) {
    return Double.compare(recorded, now) == 0
        || Math.abs(recorded - now) <= absolute + relative * Math.abs(recorded);
  }
}
