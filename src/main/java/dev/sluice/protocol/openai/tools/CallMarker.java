package dev.sluice.protocol.openai.tools;

/**
 * What is in front of calls in a text, and the space in front of that, which is no part of the
 * text.
 *
 * @param text empty: there is none, and all is text
 */
record CallMarker(String text) {
  private static final int LONGEST_SPACE = 16;

  /** Returns whether there is none. */
  boolean isNone() {
    return text.isEmpty();
  }

  /** Returns where it is; negative if it is not. */
  int find(StringBuilder said) {
    return isNone() ? -1 : said.indexOf(text);
  }

  /**
   * Returns how many characters are text, whatever comes behind them.
   *
   * @param found where the marker is; negative if it is not
   */
  int certain(StringBuilder said, int found) {
    if (found >= 0) {
      return withoutSpace(said, found);
    }
    return isNone() ? said.length() : withoutSpace(said, said.length() - part(said));
  }

  /** Returns how many characters at the end may be the beginning of the marker. */
  private int part(StringBuilder said) {
    int part = Math.min(text.length() - 1, said.length());
    while (part > 0 && !text.startsWith(said.substring(said.length() - part))) {
      part--;
    }
    return part;
  }

  private static int withoutSpace(StringBuilder said, int end) {
    int begin = end;
    while (begin > Math.max(0, end - LONGEST_SPACE)
        && Character.isWhitespace(said.charAt(begin - 1))) {
      begin--;
    }
    return begin;
  }
}
