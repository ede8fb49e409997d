package dev.sluice.tensor;

/** The side of a row of elements on which padding is added. */
public enum PaddingSide {
  /** In front of the first element. */
  LEFT("left"),
  /** Behind the last element. */
  RIGHT("right");

  private final String word;

  PaddingSide(String word) {
    this.word = word;
  }

  /** Returns "left" or "right". */
  @Override
  public String toString() {
    return word;
  }
}
