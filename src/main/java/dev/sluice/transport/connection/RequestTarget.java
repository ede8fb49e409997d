package dev.sluice.transport.connection;

/** Targets of requests, as they are sent. */
public final class RequestTarget {
  private static final char DELETE = 0x7f;

  private RequestTarget() {}

  /**
   * Returns where the first character is that no target has: a control character or a space, by
   * which a proxy could take it for two. Negative if there is none. Bytes above ASCII are let
   * through, since clients send names of models so.
   */
  public static int firstOdd(CharSequence target) {
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c == DELETE) {
        return i;
      }
    }
    return -1;
  }
}
