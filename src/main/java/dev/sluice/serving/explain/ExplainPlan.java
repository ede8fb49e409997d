package dev.sluice.serving.explain;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.model.BaselineFile;
import dev.sluice.config.model.ExplainConfig;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;

/** The explanation settings of one model, and the rows of its baseline. Immutable. */
public final class ExplainPlan {
  private final ExplainConfig config;
  private final double[][] baseline;
  private final int lowestPriority;

  private ExplainPlan(ExplainConfig config, double[][] baseline, int lowestPriority) {
    this.config = config;
    this.baseline = baseline;
    this.lowestPriority = lowestPriority;
  }

  /**
   * Reads what the settings name. Blocks.
   *
   * @param lowestPriority the model's last priority level
   * @throws InferenceException with FAILED_PRECONDITION if the baseline's file is not what it
   *     should be
   */
  public static ExplainPlan load(ExplainConfig config, int lowestPriority) {
    double[][] rows =
        config.baselineFile().isPresent() && config.method() != ExplainConfig.Method.NONE
            ? file(config)
            : new double[][] {{config.baseline()}};
    return new ExplainPlan(config, rows, lowestPriority);
  }

  private static double[][] file(ExplainConfig config) {
    try {
      double[][] rows = BaselineFile.read(config.baselineFile().orElseThrow());
      if (rows.length > config.maxSamples()) {
        throw BaselineRows.wrong(
            rows.length + " rows are more than explain.max_samples, " + config.maxSamples());
      }
      return rows;
    } catch (ConfigException e) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION, String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns the explanation settings of the model. */
  public ExplainConfig config() {
    return config;
  }

  int lowestPriority() {
    return lowestPriority;
  }

  BaselineRows baseline(DataType type, int elements) {
    return BaselineRows.rows(baseline, type, elements);
  }
}
