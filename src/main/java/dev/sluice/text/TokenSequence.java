package dev.sluice.text;

/**
 * Tokens of a text, or of a pair of texts, with those that the model wants around them.
 *
 * @param ids the tokens
 * @param types for each, which text of a pair it belongs to
 */
@SuppressWarnings("ArrayRecordComponent") // Read-only, and never compared.
public record TokenSequence(long[] ids, long[] types) {
  /** Returns how many tokens there are. */
  public int length() {
    return ids.length;
  }
}
