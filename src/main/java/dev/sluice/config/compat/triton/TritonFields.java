package dev.sluice.config.compat.triton;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.Units;
import java.time.Duration;
import java.util.List;

/**
 * Checks values of a Triton configuration against their bounds. Each method complains with the
 * file, the field, what was got and what is wanted.
 *
 * @param file its name, for texts
 */
record TritonFields(String file) {
  private static final long LONGEST_MICROSECONDS = Units.LONGEST.toMillis() * 1_000;

  long whole(String field, long value, long lowest, long highest) {
    if (value < lowest || value > highest) {
      throw error(field, value, "a whole number from " + lowest + " to " + highest);
    }
    return value;
  }

  /** Checks an int32, or a uint32 or uint64 whose values beyond the type are negative. */
  int number(String field, long value, int highest) {
    return (int) whole(field, value, 0, highest);
  }

  /** Checks dimensions, of which -1 is an open one. */
  List<Long> dims(String field, List<Long> dims) {
    for (long dim : dims) {
      if (dim < -1) {
        throw error(field, dim, "a whole number from -1 up");
      }
    }
    return dims;
  }

  Duration microseconds(String field, long value) {
    return Duration.ofNanos(whole(field, value, 0, LONGEST_MICROSECONDS) * 1_000);
  }

  /** Returns a text that must be there. */
  String required(String field, String text, String wanted) {
    if (text.isEmpty()) {
      throw error(field, "missing", wanted);
    }
    return text;
  }

  ConfigException error(String field, Object got, String wanted) {
    return new ConfigException(file + ": " + field + " is " + got + "; wanted " + wanted);
  }
}
