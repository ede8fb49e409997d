package dev.sluice.ops.openapi;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names for components of a document, made from names of models, which may have any characters.
 * Each is given once. One thread.
 */
final class ComponentNames {
  private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9._-]");

  /** Characters of a model's name that are shown. */
  private static final int MOST_LENGTH = 100;

  private final Set<String> given = new HashSet<>();

  /** Returns a name like this one, which no other call returns. */
  String of(String wanted) {
    String shown = wanted.substring(0, Math.min(wanted.length(), MOST_LENGTH));
    String plain = OTHERS.matcher(shown).replaceAll("_");
    String name = plain;
    for (int i = 2; !given.add(name); i++) {
      name = plain + "-" + i;
    }
    return name;
  }
}
