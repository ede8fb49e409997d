package dev.sluice.protocol.oip;

/** Shortens text of a client for messages: enough to find it again, however long it was. */
public final class Excerpt {
  /** Characters that are repeated at most. */
  public static final int LENGTH = 100;

  private Excerpt() {}

  /** Returns the beginning of a text. */
  public static String of(Object text) {
    String whole = text.toString();
    return whole.length() <= LENGTH ? whole : whole.substring(0, LENGTH) + "...";
  }
}
