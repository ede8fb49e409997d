package dev.sluice.inference;

/** One version of one model. */
public record ModelId(String name, long version) {
  /** As logs show it: {@code digits/2}. */
  @Override
  public String toString() {
    return name + "/" + version;
  }
}
