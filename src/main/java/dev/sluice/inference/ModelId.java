package dev.sluice.inference;

/** One version of one model. */
public record ModelId(String name, long version) {
  /** Returns the id as logs show it: {@code digits/2}. */
  @Override
  public String toString() {
    return name + "/" + version;
  }
}
