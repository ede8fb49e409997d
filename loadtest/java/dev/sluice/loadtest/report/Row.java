package dev.sluice.loadtest.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sluice.loadtest.generator.Measurement;

/**
 * One line of the table: a workload, and how far it is from its goal. A figure that the row does
 * not have is not a number.
 *
 * @param workload what was asked
 * @param measure what the ratio is made of
 * @param ratio turned so that more is better
 * @param goal which ratio is enough
 * @param rate good answers per second
 * @param p50 median latency in microseconds
 * @param p99 in microseconds
 * @param ceilingRate answers per second of what it was compared with
 * @param note what was found in the measure's own units, or why nothing was
 */
public record Row(
    String workload,
    String measure,
    double ratio,
    double goal,
    double rate,
    double p50,
    double p99,
    @JsonProperty("ceiling_rate") double ceilingRate,
    String note) {
  /** A row with the figures of both sides. */
  public static Row of(
      String workload,
      String measure,
      double ratio,
      double goal,
      Measurement ours,
      Measurement ceiling,
      String note) {
    return new Row(
        workload, measure, ratio, goal, ours.rate(), ours.p50(), ours.p99(), ceiling.rate(), note);
  }

  /** A row whose ratio is that of the rates. */
  public static Row ofRates(
      String workload, double goal, Measurement ours, Measurement ceiling, String note) {
    return of(
        workload, "rate ÷ ceiling's", ours.rate() / ceiling.rate(), goal, ours, ceiling, note);
  }

  /** A row without answers to count. */
  public static Row ofFigure(
      String workload, String measure, double ratio, double goal, String note) {
    return of(workload, measure, ratio, goal, Measurement.NONE, Measurement.NONE, note);
  }

  /** A row that could not be measured. */
  public static Row failed(String workload, String why) {
    return ofFigure(workload, "", Double.NaN, Double.NaN, "not measured: " + why);
  }

  /** Whether there is a ratio at all. */
  @JsonProperty
  public boolean measured() {
    return !Double.isNaN(ratio);
  }

  /** Whether the goal is reached. */
  @JsonProperty
  public boolean met() {
    return ratio >= goal;
  }
}
