package dev.sluice.loadtest.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A report as the table that is printed, and that the README holds. */
public final class MarkdownTable {
  private static final String HEAD =
      """
      | workload | measure | ratio | 95 % | goal | met | rate /s | p50 ms | p99 ms | CPU µs | ceiling /s | CPU µs | CPU ratio | 95 % | note |
      | --- | --- | ---: | :---: | ---: | :---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :---: | --- |
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
            figure("%.2f", row.ratio().ratio()),
            interval(row.ratio()),
            figure("%.2f", row.goal()),
            row.met().toString(),
            figure("%,.0f", row.ours().rate()),
            figure("%.2f", row.ours().p50() / 1000),
            figure("%.2f", row.ours().p99() / 1000),
            figure("%.1f", row.ours().cpuMicros()),
            figure("%,.0f", row.ceiling().rate()),
            figure("%.1f", row.ceiling().cpuMicros()),
            figure("%.2f", row.cpu().ratio()),
            interval(row.cpu()),
            row.note())
        + " |";
  }

  private static String interval(Interval interval) {
    return figure("%.2f", interval.low()) + figure(" to %.2f", interval.high());
  }

  private static String figure(String format, double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
  }
}
