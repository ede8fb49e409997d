package dev.sluice.config.binding;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lengths of time and sizes as people write them: a whole number and its unit, no space between.
 *
 * <p>Durations are {@code 500us}, {@code 2ms}, {@code 30s}; sizes are {@code 64KiB}, {@code 2GiB},
 * powers of 1024. Reading and writing are inverse: what is shown can be set.
 */
public final class Units {
  public static final String DURATION_WANTED =
      "a length of time such as 500us, 2ms, 30s, 10m or 1h";
  static final String SIZE_WANTED = "a size in bytes such as 1000, 512KiB, 64MiB or 1GiB";

  /** No setting waits longer; it also keeps every length within 64 bits of nanoseconds. */
  public static final Duration LONGEST = Duration.ofDays(365);

  /** More digits than any setting needs, few enough for a long. */
  private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15})([A-Za-z]*)");

  private Units() {}

  /**
   * Returns a length of time; empty if the text is no length of time, or a longer one than {@link
   * #LONGEST}.
   */
  static Optional<Duration> duration(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      return Optional.empty();
    }
    return length(Long.parseLong(amount.group(1)), amount.group(2))
        .filter(length -> length.compareTo(LONGEST) <= 0);
  }

  /**
   * Returns the length of time that a flag says.
   *
   * @throws ConfigException if it says none, or nothing
   */
  public static Duration durationOf(String flag, String text) {
    return duration(text)
        .filter(Duration::isPositive)
        .orElseThrow(
            () -> new ConfigException(flag + " is '" + text + "'; wanted " + DURATION_WANTED));
  }

  private static Optional<Duration> length(long count, String unit) {
    return switch (unit) {
      case "us" -> Optional.of(Duration.ofSeconds(count / 1_000_000, count % 1_000_000 * 1_000));
      case "ms" -> Optional.of(Duration.ofMillis(count));
      case "s" -> Optional.of(Duration.ofSeconds(count));
      case "m" -> Optional.of(Duration.ofMinutes(count));
      case "h" -> Optional.of(Duration.ofHours(count));
      // Nothing is nothing in every unit.
      case "" -> count == 0 ? Optional.of(Duration.ZERO) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** Returns a number of bytes; empty if the text is none. */
  static Optional<Long> size(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (amount.group(2)) {
          case "", "B" -> 0;
          case "KiB" -> 10;
          case "MiB" -> 20;
          case "GiB" -> 30;
          default -> -1;
        };
    long count = Long.parseLong(amount.group(1));
    return shift < 0 || count > Long.MAX_VALUE >> shift
        ? Optional.empty()
        : Optional.of(count << shift);
  }

  /** Returns the size in the largest unit that says it exactly. */
  public static String show(long bytes) {
    int shift = bytes == 0 ? 0 : 30;
    while (shift > 0 && bytes % (1L << shift) != 0) {
      shift -= 10;
    }
    String unit =
        switch (shift) {
          case 30 -> "GiB";
          case 20 -> "MiB";
          case 10 -> "KiB";
          default -> "";
        };
    return (bytes >> shift) + unit;
  }
}
