package dev.sluice.serving.explain;

import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** The model's answer to the baseline, for every instance's column. */
final class BaselinePredictionRows implements PredictionRows {
  private final BaselineRows baseline;
  private final Target target;
  private final double[][] values;
  private int written;
  private int answered;

  BaselinePredictionRows(BaselineRows baseline, Target target, int instances) {
    this.baseline = baseline;
    this.target = target;
    this.values = new double[instances][baseline.rows()];
  }

  @Override
  public boolean hasNext() {
    return written < baseline.rows();
  }

  @Override
  public void write(MemorySegment row) {
    row.copyFrom(baseline.data().asSlice(written * row.byteSize(), row.byteSize()));
    written++;
  }

  @Override
  public void answered(Tensor output, int row, int width) {
    for (int i = 0; i < values.length; i++) {
      long element = (long) row * width + target.column(i);
      values[i][answered] = DoubleElements.get(output.data(), output.type(), element);
    }
    answered++;
  }

  /** Returns the value of an instance's column for a row of the baseline. */
  double value(int instance, int baselineRow) {
    return values[instance][baselineRow];
  }

  /** Returns the mean of an instance's column over the baseline. */
  double mean(int instance) {
    double sum = 0;
    for (double value : values[instance]) {
      sum += value;
    }
    return sum / baseline.rows();
  }
}
