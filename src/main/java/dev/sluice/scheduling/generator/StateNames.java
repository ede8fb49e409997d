package dev.sluice.scheduling.generator;

import dev.sluice.inference.InferenceException;
import java.util.Optional;

/**
 * An output's name and an input's; a star stands for any text, the same in both.
 *
 * @param output with one star at most
 * @param input with as many stars
 */
record StateNames(String output, String input) {
  private static final char STAR = '*';

  /**
   * @throws InferenceException if the stars do not go together
   */
  static StateNames of(String output, String input) {
    if (stars(output) > 1 || stars(output) != stars(input)) {
      throw InferenceException.invalid(
          "stream.feedback: %s: %s needs one star on both sides, or none".formatted(output, input));
    }
    return new StateNames(output, input);
  }

  private static long stars(String text) {
    return text.chars().filter(c -> c == STAR).count();
  }

  /** Returns the input that belongs to an output of this name, if it is one of this pair. */
  Optional<String> inputOf(String name) {
    int star = output.indexOf(STAR);
    if (star < 0) {
      return name.equals(output) ? Optional.of(input) : Optional.empty();
    }
    String before = output.substring(0, star);
    String after = output.substring(star + 1);
    if (name.length() < output.length() - 1 || !name.startsWith(before) || !name.endsWith(after)) {
      return Optional.empty();
    }
    String text = name.substring(star, name.length() - after.length());
    return Optional.of(input.replace(String.valueOf(STAR), text));
  }
}
