package dev.sluice.text.jinja.value;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * Text that knows which of its characters a request gave, and which are the template's own. Equal
 * to another one with the same characters, whatever their sources. Immutable.
 */
public final class MarkedText implements Value {
  public static final MarkedText EMPTY = new MarkedText("", new int[0]);

  private final String text;

  /** Where the origin changes, ascending; the template's own come first, even if there is none. */
  private final int[] changes;

  private MarkedText(String text, int[] changes) {
    this.text = text;
    this.changes = changes;
  }

  /** Returns text of the template. */
  public static MarkedText own(String text) {
    return new MarkedText(text, new int[0]);
  }

  /** Returns text that a request gave. */
  public static MarkedText given(String text) {
    return text.isEmpty() ? EMPTY : new MarkedText(text, new int[] {0});
  }

  /** Returns the characters. */
  @Override
  public String toString() {
    return text;
  }

  public int length() {
    return text.length();
  }

  public boolean isEmpty() {
    return text.isEmpty();
  }

  /** Returns whether any of the characters from one to before another was given by a request. */
  public boolean isGiven(int from, int to) {
    for (int at = from; at < to; at = end(at)) {
      if (isGiven(at)) {
        return true;
      }
    }
    return false;
  }

  private boolean isGiven(int at) {
    return changesUntil(at) % 2 == 1;
  }

  /** Returns how many changes there are at or before a character. */
  private int changesUntil(int at) {
    int found = Arrays.binarySearch(changes, at);
    return found >= 0 ? found + 1 : -found - 1;
  }

  /** Returns where the run of one origin ends in which a character is. */
  private int end(int at) {
    int next = changesUntil(at);
    return next < changes.length ? changes[next] : text.length();
  }

  /** Returns the characters from one to before another. */
  public MarkedText slice(int from, int to) {
    return from == 0 && to == text.length() ? this : new Builder().append(this, from, to).build();
  }

  /** Returns this and another. */
  public MarkedText plus(MarkedText other) {
    return new Builder().append(this).append(other).build();
  }

  /** Returns other text for each run of one origin. */
  public MarkedText map(UnaryOperator<String> change) {
    var out = new Builder();
    for (int at = 0; at < text.length(); at = end(at)) {
      out.append(change.apply(text.substring(at, end(at))), isGiven(at));
    }
    return out.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MarkedText marked && marked.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** Text that grows. One thread. */
  public static final class Builder {
    private final StringBuilder text = new StringBuilder();
    private int[] changes = new int[4];
    private int count;

    public int length() {
      return text.length();
    }

    public Builder append(String more, boolean given) {
      if (!more.isEmpty()) {
        if (given != (count % 2 == 1)) {
          changes = count == changes.length ? Arrays.copyOf(changes, 2 * count) : changes;
          changes[count++] = text.length();
        }
        text.append(more);
      }
      return this;
    }

    /** Appends text of the template. */
    public Builder own(String more) {
      return append(more, false);
    }

    public Builder append(MarkedText more) {
      return append(more, 0, more.length());
    }

    public Builder append(MarkedText more, int from, int to) {
      for (int at = from; at < to; ) {
        int end = Math.min(to, more.end(at));
        append(more.text.substring(at, end), more.isGiven(at));
        at = end;
      }
      return this;
    }

    public MarkedText build() {
      return new MarkedText(text.toString(), Arrays.copyOf(changes, count));
    }
  }
}
