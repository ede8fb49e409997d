package dev.sluice.loadtest.report;

import java.util.Locale;

/** A report as the table that is printed, and that the README holds. */
public final class MarkdownTable {
  private static final String HEAD =
      """
      | workload | measure | ratio | goal | met | rate /s | p50 ms | p99 ms | ceiling /s | note |
      | --- | --- | ---: | ---: | :---: | ---: | ---: | ---: | ---: | --- |
      """;

  private MarkdownTable() {}

  /** The table, and below it where and how it was measured. */
  public static String of(Report report) {
    var text = new StringBuilder(HEAD);
    report.rows().forEach(row -> text.append(line(row)).append('\n'));
    return text.append('\n')
        .append("%s; %s; %s.%n".formatted(report.date(), report.machine(), report.rounds()))
        .toString();
  }

  /** A row as a line of the table. */
  public static String line(Row row) {
    return "| "
        + String.join(
            " | ",
            row.workload(),
            row.measure(),
            figure("%.2f", row.ratio()),
            figure("%.2f", row.goal()),
            row.met() ? "yes" : "no",
            figure("%,.0f", row.rate()),
            figure("%.2f", row.p50() / 1000),
            figure("%.2f", row.p99() / 1000),
            figure("%,.0f", row.ceilingRate()),
            row.note())
        + " |";
  }

  private static String figure(String format, double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
  }
}
