package dev.sluice.inference.explain;

/**
 * The contribution of each element of one instance to one number of its prediction. All scores
 * together are the predicted value minus the base value.
 */
public final class Attribution {
  private final String output;
  private final int column;
  private final double baseValue;
  private final double predictedValue;
  private final double[] scores;
  private final double[] errors;

  /**
   * @param output the output that is explained
   * @param column the element of its row
   * @param baseValue what the model answers to the baseline, on average over its rows
   * @param predictedValue what it answers to the instance
   * @param scores for each element of the instance, in its order; not copied
   * @param errors the standard error of each score; not copied
   */
  public Attribution(
      String output,
      int column,
      double baseValue,
      double predictedValue,
      double[] scores,
      double[] errors) {
    this.output = output;
    this.column = column;
    this.baseValue = baseValue;
    this.predictedValue = predictedValue;
    this.scores = scores;
    this.errors = errors;
  }

  /** Returns the name of the explained output. */
  public String output() {
    return output;
  }

  /** Returns the index of the explained number in the output's row. */
  public int column() {
    return column;
  }

  /** Returns the model's answer to the baseline, averaged over its rows. */
  public double baseValue() {
    return baseValue;
  }

  /** Returns the model's answer to the instance itself. */
  public double predictedValue() {
    return predictedValue;
  }

  /** Returns how many elements the instance has. */
  public int elements() {
    return scores.length;
  }

  /** Returns the contribution of an element, by its index in the row's order. */
  public double score(int element) {
    return scores[element];
  }

  /**
   * Returns the standard error of a score: two of them hold the true value in about 95 of 100
   * cases.
   */
  public double error(int element) {
    return errors[element];
  }
}
