package dev.sluice.boot.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns as wide as their widest cell. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... heads) {
    row(heads);
  }

  /** Adds a row; it may have fewer cells than the heads. */
  TextTable row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  List<String> lines() {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length()).append(GAP);
    }
    return line.toString().stripTrailing();
  }
}
