package dev.sluice.inference;

/**
 * A request's place in a sequence: requests that belong together and share a state.
 *
 * @param id what the sequence is called: an unsigned number or a text; 0 and the empty text call
 *     none
 * @param start whether it is the first request of its sequence
 * @param end whether it is the last one
 */
public record SequenceStep(ParameterValue id, boolean start, boolean end) {
  /** The place of a request that belongs to no sequence. */
  public static final SequenceStep NONE =
      new SequenceStep(new ParameterValue.Whole(0, true), false, false);

  /**
   * Returns whether the request belongs to a sequence: its correlation id is neither 0 nor empty.
   */
  public boolean hasId() {
    return switch (id) {
      case ParameterValue.Whole(long number, _) -> number != 0;
      case ParameterValue.Text(String text) -> !text.isEmpty();
      case ParameterValue.Flag _, ParameterValue.Fraction _ -> false;
    };
  }

  /** Returns the id as messages show it. */
  public String idText() {
    return switch (id) {
      case ParameterValue.Whole(long number, _) -> Long.toUnsignedString(number);
      case ParameterValue.Text(String text) -> text;
      case ParameterValue.Flag(boolean set) -> Boolean.toString(set);
      case ParameterValue.Fraction(double number) -> Double.toString(number);
    };
  }
}
