package dev.sluice.text.constraint;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** JSON pointers as the fragments of URIs, in which characters may be written by their bytes. */
final class PointerFragment {
  private PointerFragment() {}

  /**
   * Returns the pointer of a reference.
   *
   * @return empty if it is no place in the schema itself
   */
  static Optional<String> pointer(String reference) {
    if (!reference.startsWith("#")) {
      return Optional.empty();
    }
    try {
      // A plus stands for itself: that it is a space is a rule of forms.
      String written = reference.substring(1).replace("+", "%2B");
      return Optional.of(URLDecoder.decode(written, StandardCharsets.UTF_8))
          .filter(pointer -> pointer.isEmpty() || pointer.startsWith("/"));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
