package dev.sluice.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.text.jinja.value.MarkedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Special tokens of a tokenizer, and where they are in a prompt: in the template's own text alone.
 * What a request spells is text, also where it only begins or ends one. Immutable; any thread.
 */
final class SpecialTokens {
  /** What no text has. */
  private static final Pattern NOTHING = Pattern.compile("(?!)");

  private final Map<String, Special> tokens = new HashMap<>();
  private final Pattern pattern;

  /** Whether the library looks for some of them in normalized text, which is not known here. */
  private final boolean normalized;

  private record Special(long id, boolean takesBefore, boolean takesBehind) {}

  /** A part of a prompt. */
  sealed interface Part {
    record Token(long id) implements Part {}

    record Text(String text) implements Part {}
  }

  /**
   * @param json of the tokenizer
   */
  SpecialTokens(JsonNode json) {
    boolean anyNormalized = false;
    for (JsonNode token : json.path("added_tokens")) {
      String content = token.path("content").asText();
      if (token.path("special").asBoolean() && !content.isEmpty()) {
        anyNormalized |= token.path("normalized").asBoolean();
        var special =
            new Special(
                token.path("id").asLong(),
                token.path("lstrip").asBoolean(),
                token.path("rstrip").asBoolean());
        tokens.put(content, special);
      }
    }
    normalized = anyNormalized;
    pattern = tokens.isEmpty() ? NOTHING : Pattern.compile(longestFirst());
  }

  private String longestFirst() {
    return tokens.keySet().stream()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .map(Pattern::quote)
        .collect(Collectors.joining("|"));
  }

  /** Returns whether a text is one of them. */
  boolean has(String text) {
    return tokens.containsKey(text);
  }

  /** Returns whether the library would take text of a request for a special token. */
  boolean areSpelledIn(MarkedText prompt) {
    Matcher found = pattern.matcher(prompt.toString());
    for (int from = 0; found.find(from); from = found.start() + 1) {
      if (prompt.isGiven(found.start(), found.end())) {
        return true;
      }
    }
    return normalized;
  }

  /** Returns a prompt cut at the special tokens of the template. */
  List<Part> parts(MarkedText prompt) {
    List<Part> parts = new ArrayList<>();
    String text = prompt.toString();
    Matcher found = pattern.matcher(text);
    int begin = 0;
    for (int from = 0; found.find(from); ) {
      if (prompt.isGiven(found.start(), found.end())) {
        from = found.start() + 1;
      } else {
        Special special = Objects.requireNonNull(tokens.get(found.group()));
        String before = text.substring(begin, found.start());
        add(parts, special.takesBefore() ? before.stripTrailing() : before);
        parts.add(new Part.Token(special.id()));
        begin = special.takesBehind() ? behindSpace(text, found.end()) : found.end();
        from = begin;
      }
    }
    add(parts, text.substring(begin));
    return parts;
  }

  private static void add(List<Part> parts, String text) {
    if (!text.isEmpty()) {
      parts.add(new Part.Text(text));
    }
  }

  private static int behindSpace(String text, int from) {
    int at = from;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }
}
