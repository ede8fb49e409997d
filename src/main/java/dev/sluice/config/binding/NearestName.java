package dev.sluice.config.binding;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * The known name that someone may have meant by an unknown one.
 *
 * <p>Edit distance decides; a name that would have to change by more than a third is no suggestion.
 */
final class NearestName {
  /** Longer names are compared as far as this, so that a hostile key costs little. */
  private static final int LONGEST = 128;

  private NearestName() {}

  /** Returns the nearest of the names; empty if more than a third of it would have to change. */
  static Optional<String> to(String unknown, Collection<String> names) {
    return names.stream()
        .filter(name -> distance(unknown, name) <= Math.max(1, name.length() / 3))
        .min(Comparator.comparingInt(name -> distance(unknown, name)));
  }

  /** Letters to insert, drop or replace (Levenshtein). */
  private static int distance(String from, String to) {
    int width = Math.min(to.length(), LONGEST);
    int[] row = new int[width + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= Math.min(from.length(), LONGEST); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= width; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[width];
  }
}
