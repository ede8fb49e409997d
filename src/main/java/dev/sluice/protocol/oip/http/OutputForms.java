package dev.sluice.protocol.oip.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which outputs a request wants, and which of them as binary data. */
final class OutputForms {
  private final List<String> names = new ArrayList<>();
  private final List<Boolean> binary = new ArrayList<>();
  private final Map<String, Integer> classes = new HashMap<>();
  private boolean allBinary;

  /**
   * Lists an output.
   *
   * @param best how many of its best elements are wanted in place of all; 0 for all
   */
  void add(String name, boolean isBinary, int best) {
    names.add(name);
    binary.add(isBinary);
    if (best > 0) {
      classes.put(name, best);
    }
  }

  /** By output, how many of its best elements are wanted in place of all. */
  Map<String, Integer> classes() {
    return classes;
  }

  /** Says that all outputs are wanted as binary data, which counts only if none is listed. */
  void binaryByDefault(boolean wanted) {
    allBinary = wanted;
  }

  /** The names listed, in their order; empty if all outputs are wanted. */
  List<String> names() {
    return names;
  }

  boolean isBinary(String output) {
    int index = names.indexOf(output);
    return index < 0 ? allBinary : binary.get(index);
  }
}
