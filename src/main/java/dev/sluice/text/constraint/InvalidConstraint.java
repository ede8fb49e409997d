package dev.sluice.text.constraint;

import java.io.Serial;

/**
 * A constraint that is wrong, not supported or too large; its text follows the parameter's name.
 */
final class InvalidConstraint extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /** What is quoted of a constraint may be as long as that is. */
  private static final int LONGEST = 500;

  InvalidConstraint(String text) {
    super(text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...", null, false, false);
  }
}
