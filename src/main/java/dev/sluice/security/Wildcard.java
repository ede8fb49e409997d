package dev.sluice.security;

import java.util.List;
import java.util.regex.Pattern;

/** A name in which asterisks stand for any text. */
record Wildcard(String text, Pattern pattern) {
  static Wildcard of(String text) {
    String[] plain = text.split("\\*", -1);
    for (int i = 0; i < plain.length; i++) {
      plain[i] = Pattern.quote(plain[i]);
    }
    return new Wildcard(text, Pattern.compile(String.join(".*", plain), Pattern.DOTALL));
  }

  static List<Wildcard> all(List<String> texts) {
    return texts.stream().map(Wildcard::of).toList();
  }

  boolean matches(String name) {
    return pattern.matcher(name).matches();
  }
}
