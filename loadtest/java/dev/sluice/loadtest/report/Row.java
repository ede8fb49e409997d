package dev.sluice.loadtest.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sluice.loadtest.generator.Measurement;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One line of the table: a workload, and how far it is from its goal. A figure that the row does
 * not have is not a number.
 *
 * @param workload what was asked
 * @param measure what the ratio is made of
 * @param ratio turned so that more is better
 * @param goal which ratio is enough
 * @param cpu the ceiling's processor time per answer ÷ the server's own
 * @param ours the server's own figures
 * @param ceiling those of what it was compared with
 * @param note what was found in the measure's own units, or why nothing was
 */
public record Row(
    String workload,
    String measure,
    @JsonUnwrapped Interval ratio,
    double goal,
    @JsonUnwrapped(prefix = "cpu_") Interval cpu,
    @JsonUnwrapped Measurement ours,
    @JsonUnwrapped(prefix = "ceiling_") Measurement ceiling,
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
    double cpu = ceiling.cpuMicros() / ours.cpuMicros();
    return new Row(
        workload, measure, Interval.of(ratio), goal, Interval.of(cpu), ours, ceiling, note);
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

  /**
   * Combines what the same workload gave with several sets of fresh processes, row by row.
   *
   * @param repetitions the rows of each set, in the same order
   */
  public static List<Row> combined(List<List<Row>> repetitions) {
    return IntStream.range(0, repetitions.getFirst().size())
        .mapToObj(index -> combinedRow(repetitions.stream().map(rows -> rows.get(index)).toList()))
        .toList();
  }

  /** Figures are medians; the note is that of the middle ratio. */
  private static Row combinedRow(List<Row> rows) {
    List<Row> sorted =
        rows.stream().sorted(Comparator.comparingDouble((Row row) -> row.ratio.ratio())).toList();
    Row middle = sorted.get((sorted.size() - 1) / 2);
    return new Row(
        middle.workload,
        middle.measure,
        Interval.of(rows.stream().map(row -> row.ratio.ratio()).toList()),
        middle.goal,
        Interval.of(rows.stream().map(row -> row.cpu.ratio()).toList()),
        Measurement.median(rows.stream().map(Row::ours).toList()),
        Measurement.median(rows.stream().map(Row::ceiling).toList()),
        middle.note);
  }

  /** The same with more to note. */
  public Row withNote(String more) {
    String all = note.isEmpty() ? more : note + "; " + more;
    return new Row(workload, measure, ratio, goal, cpu, ours, ceiling, all);
  }

  /** Whether there is a ratio at all. */
  @JsonProperty
  public boolean measured() {
    return !Double.isNaN(ratio.ratio());
  }

  /** Whether the goal is reached. */
  @JsonProperty
  public Verdict met() {
    return ratio.verdict(goal);
  }
}
