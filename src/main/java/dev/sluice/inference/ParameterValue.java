package dev.sluice.inference;

/** The value of one of a request's or an answer's parameters, whichever protocol it came by. */
public sealed interface ParameterValue {
  record Flag(boolean value) implements ParameterValue {}

  /**
   * A whole number.
   *
   * @param value its 64 bits
   * @param unsigned whether they are to be read as unsigned
   */
  record Whole(long value, boolean unsigned) implements ParameterValue {}

  record Fraction(double value) implements ParameterValue {}

  record Text(String value) implements ParameterValue {}
}
