package dev.sluice.text;

import java.util.List;

/**
 * Passes text on up to the first stop string, and holds back an end that may be the beginning of
 * one: less than the longest stop string. One thread at a time.
 */
final class StopTexts {
  private final List<String> stops;
  private final StringBuilder held = new StringBuilder();
  private boolean met;

  /**
   * @param stops none of them empty
   */
  StopTexts(List<String> stops) {
    this.stops = stops;
  }

  /** Returns whether a stop string was met: nothing comes after it. */
  boolean isMet() {
    return met;
  }

  /** Takes more text, and returns what can be no part of a stop string. */
  String pass(String text) {
    if (met || stops.isEmpty()) {
      return met ? "" : text;
    }
    held.append(text);
    int stop = firstStop();
    if (stop >= 0) {
      met = true;
      held.setLength(stop);
      return rest();
    }
    int certain = certain();
    String passed = held.substring(0, certain);
    held.delete(0, certain);
    return passed;
  }

  /** Returns what was held back, when nothing more comes. */
  String rest() {
    String rest = held.toString();
    held.setLength(0);
    return rest;
  }

  private int firstStop() {
    int first = -1;
    for (String stop : stops) {
      int at = held.indexOf(stop);
      first = at >= 0 && (first < 0 || at < first) ? at : first;
    }
    return first;
  }

  /** Returns how many characters no stop string can begin in. */
  private int certain() {
    String text = held.toString();
    for (int from = 0; from < text.length(); from++) {
      if (mayBegin(text, from)) {
        return from;
      }
    }
    return text.length();
  }

  private boolean mayBegin(String text, int from) {
    int length = text.length() - from;
    for (String stop : stops) {
      if (stop.length() > length && stop.regionMatches(0, text, from, length)) {
        return true;
      }
    }
    return false;
  }
}
