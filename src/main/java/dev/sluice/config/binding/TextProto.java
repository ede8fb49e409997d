package dev.sluice.config.binding;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small reader of Protocol Buffers' text format, without a schema: enough for settings that
 * people write. Repeated fields and lists in brackets both become several values of one field.
 */
public final class TextProto {
  /** Deeper than any model's settings; it keeps a hostile file off the thread's stack. */
  private static final int DEEPEST = 32;

  private final String file;
  private final String text;
  private int position;
  private int line = 1;

  /** The value of a field. */
  public sealed interface Value {}

  /** A number, a name or the content of a quoted text. */
  public record Scalar(String text) implements Value {}

  /** Fields in the order they were first written. */
  public record Message(Map<String, List<Value>> fields) implements Value {}

  private TextProto(String file, String text) {
    this.file = file;
    this.text = text;
  }

  /**
   * @param file its name, for texts
   * @throws ConfigException with the line, if the text is not in the format
   */
  public static Message read(String file, String text) {
    return new TextProto(file, text).fields(0, '\0');
  }

  /** Fields up to the closing character, or up to the end for NUL. */
  private Message fields(int depth, char closing) {
    if (depth > DEEPEST) {
      throw error("is nested deeper than " + DEEPEST);
    }
    var message = new Message(new LinkedHashMap<>());
    while (peek() != closing) {
      String name = skip('[') ? extension() : word();
      List<Value> values = message.fields.computeIfAbsent(name, _ -> new ArrayList<>());
      boolean colon = skip(':');
      if (skip('[')) {
        list(values, depth);
      } else {
        values.add(value(depth, colon));
      }
      if (!skip(',')) {
        skip(';');
      }
    }
    if (closing != '\0') {
      position++;
    }
    return message;
  }

  /** Returns the type of a message that a field of any type holds, with its brackets. */
  private String extension() {
    int start = position - 1;
    while (position < text.length() && text.charAt(position) != ']') {
      if (!isWord(text.charAt(position)) && text.charAt(position) != '/') {
        throw error("wanted a type in brackets but got " + shown());
      }
      position++;
    }
    if (position == text.length()) {
      throw error("the brackets do not end");
    }
    return text.substring(start, ++position);
  }

  private void list(List<Value> values, int depth) {
    while (!skip(']')) {
      values.add(value(depth, true));
      if (!skip(',') && peek() != ']') {
        throw error("wanted , or ] but got " + shown());
      }
    }
  }

  private Value value(int depth, boolean scalarAllowed) {
    char next = peek();
    if (next == '{' || next == '<') {
      position++;
      return fields(depth + 1, next == '{' ? '}' : '>');
    }
    if (!scalarAllowed) {
      throw error("wanted : or { but got " + shown());
    }
    return new Scalar(next == '"' || next == '\'' ? texts() : word());
  }

  /** Adjacent quoted texts are one. */
  private String texts() {
    var joined = new StringBuilder();
    for (char quote = peek(); quote == '"' || quote == '\''; quote = peek()) {
      position++;
      quoted(quote, joined);
    }
    return joined.toString();
  }

  private void quoted(char quote, StringBuilder into) {
    while (position < text.length() && text.charAt(position) != quote) {
      if (text.charAt(position) == '\n') {
        throw error("the quoted text does not end on its line");
      }
      if (text.charAt(position) == '\\' && position + 1 < text.length()) {
        position++;
        escaped(into);
      } else {
        into.append(text.charAt(position++));
      }
    }
    if (position == text.length()) {
      throw error("the quoted text does not end");
    }
    position++;
  }

  /**
   * Reads the escape behind a backslash. Numbers of bytes are not needed by any setting read here.
   */
  private void escaped(StringBuilder into) {
    char c = text.charAt(position++);
    switch (c) {
      case 'n' -> into.append('\n');
      case 'r' -> into.append('\r');
      case 't' -> into.append('\t');
      case '"', '\'', '\\', '?' -> into.append(c);
      default -> throw error("\\" + c + " is not an escape that is read here");
    }
  }

  private String word() {
    char first = peek();
    int start = position;
    while (position < text.length() && isWord(text.charAt(position))) {
      position++;
    }
    if (position == start) {
      throw error("wanted a name or a value but got " + (first == '\0' ? "the end" : shown()));
    }
    return text.substring(start, position);
  }

  private static boolean isWord(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "_.+-".indexOf(c) >= 0;
  }

  private boolean skip(char wanted) {
    boolean found = peek() == wanted;
    position += found ? 1 : 0;
    return found;
  }

  /** Returns the next character that is neither space nor comment; NUL at the end. */
  private char peek() {
    while (position < text.length()) {
      char c = text.charAt(position);
      if (c == '#') {
        int end = text.indexOf('\n', position);
        position = end < 0 ? text.length() : end;
      } else if (c == '\0' || !Character.isWhitespace(c)) {
        return c == '\0' ? '\uFFFD' : c;
      } else {
        line += c == '\n' ? 1 : 0;
        position++;
      }
    }
    return '\0';
  }

  private String shown() {
    return position < text.length() ? "'" + text.charAt(position) + "'" : "the end";
  }

  private ConfigException error(String complaint) {
    return new ConfigException(file + ": line " + line + ": " + complaint);
  }
}
