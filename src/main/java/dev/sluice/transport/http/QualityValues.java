package dev.sluice.transport.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a client would like, most of all what has the highest quality: the members of {@code
 * Accept}, {@code Accept-Encoding} and their kin (RFC 9110, section 12.4.2). Any thread.
 *
 * @param members in the client's order
 */
public record QualityValues(List<Member> members) {
  /** A client's list says more than this only to cost time. */
  private static final int LONGEST = 1_000;

  /**
   * One that is named.
   *
   * @param value in lower case, without parameters
   * @param quality 0: not at all
   */
  public record Member(String value, double quality) {}

  public QualityValues {
    members = List.copyOf(members);
  }

  /**
   * Reads a header.
   *
   * @param header without one nothing is named
   */
  public static QualityValues of(@Nullable String header) {
    List<Member> members = new ArrayList<>();
    if (header != null && header.length() <= LONGEST) {
      for (String entry : header.split(",", -1)) {
        String[] parts = entry.split(";", -1);
        members.add(new Member(parts[0].strip().toLowerCase(Locale.ROOT), quality(parts)));
      }
    }
    return new QualityValues(members);
  }

  /** Parses a quality; one that is no number counts as none: the member is not wanted. */
  private static double quality(String... parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
      if (parameter.startsWith("q=")) {
        try {
          double quality = Double.parseDouble(parameter.substring(2));
          return quality >= 0 && quality <= 1 ? quality : 0;
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }

  /** Returns the highest quality with which a value is named; 0 if it is not. */
  public double quality(String value) {
    return members.stream()
        .filter(member -> member.value().equals(value))
        .mapToDouble(Member::quality)
        .max()
        .orElse(0);
  }
}
