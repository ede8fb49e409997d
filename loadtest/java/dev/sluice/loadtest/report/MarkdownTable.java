package dev.sluice.loadtest.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A report as the table that is printed, and that the README holds. */
public final class MarkdownTable {
  private static final String HEAD =
      """
      | workload | measure | ratio | goal | met | rate /s | p50 ms | p99 ms | ceiling /s | note |
      | --- | --- | ---: | ---: | :---: | ---: | ---: | ---: | ---: | --- |
      """;

  /** Between these two lines of a page lies the last table. */
  private static final String BEGIN =
      "<!-- The last table: make loadtest SAVE=1 replaces it. -->\n";

  private static final String END = "<!-- End of the last table. -->\n";

  private MarkdownTable() {}

  /**
   * Replaces the last table of a page.
   *
   * @throws IOException if the page has no place for one
   */
  public static void putInto(Path page, Report report) throws IOException {
    String text = Files.readString(page);
    int from = text.indexOf(BEGIN);
    int to = text.indexOf(END);
    if (from < 0 || to < from) {
      throw new IOException(page + " has no place for a table");
    }
    String before = text.substring(0, from + BEGIN.length());
    Files.writeString(page, before + "\n" + of(report) + "\n" + text.substring(to));
  }

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
