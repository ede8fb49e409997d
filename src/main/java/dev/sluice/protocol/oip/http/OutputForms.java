package dev.sluice.protocol.oip.http;

import java.util.ArrayList;
import java.util.List;

/** Which outputs a request wants, and which of them as binary data. */
final class OutputForms {
  private final List<String> names = new ArrayList<>();
  private final List<Boolean> binary = new ArrayList<>();
  private boolean allBinary;

  /** Lists an output. */
  void add(String name, boolean isBinary) {
    names.add(name);
    binary.add(isBinary);
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
