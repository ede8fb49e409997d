package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.TemplateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits a template into tokens, and leaves out the white space that belongs to its tags: what a
 * {@code -} takes, a line's beginning before a block, and the line break behind one. One thread.
 */
final class TemplateLexer {
  private static final Pattern TAG = Pattern.compile("\\{[{%#]");
  private static final Pattern RAW = Pattern.compile("\\{%[-+]?\\s*raw\\s*(-%}\\s*|%})");
  private static final Pattern END_OF_RAW =
      Pattern.compile("\\{%([-+]?)\\s*endraw\\s*(?:\\+%}|-%}\\s*|%}\n?)");
  private static final Pattern END_OF_COMMENT = Pattern.compile("\\+#}|-#}\\s*|#}\n?");
  private static final Pattern END_OF_BLOCK = Pattern.compile("\\+%}|-%}\\s*|%}\n?");
  private static final Pattern END_OF_OUTPUT = Pattern.compile("-}}\\s*|}}");
  private static final Pattern SPACE = Pattern.compile("\\s+");
  private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_]*");
  private static final Pattern DECIMAL =
      Pattern.compile("\\d[\\d_]*(?:\\.\\d[\\d_]*(?:[eE][-+]?\\d+)?|[eE][-+]?\\d+)");
  private static final Pattern WHOLE = Pattern.compile("\\d[\\d_]*");
  private static final Pattern STRING =
      Pattern.compile(
          "'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+'|\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"",
          Pattern.DOTALL);
  private static final Pattern OPERATOR =
      Pattern.compile("//|\\*\\*|==|!=|>=|<=|[-+/*%~\\[\\](){}<>=.:|,]");
  private static final Set<String> OPENING = Set.of("(", "[", "{");
  private static final Set<String> CLOSING = Set.of(")", "]", "}");

  private final String source;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int line = 1;
  private int counted;
  private boolean lineStarts = true;

  private TemplateLexer(String source) {
    this.source = source;
  }

  /**
   * Returns the tokens of a template, the end among them.
   *
   * @throws TemplateException if there is something that is none
   */
  static List<Token> tokens(String template) {
    String source = template.replace("\r\n", "\n").replace('\r', '\n');
    return new TemplateLexer(
            source.endsWith("\n") ? source.substring(0, source.length() - 1) : source)
        .tokens();
  }

  private List<Token> tokens() {
    Matcher tag = TAG.matcher(source);
    while (tag.find(at)) {
      data(source.substring(at, tag.start()), tag.end());
      at = tag.start();
      switch (source.charAt(at + 1)) {
        case '#' -> comment();
        case '{' -> inside(Kind.OUTPUT_BEGIN, Kind.OUTPUT_END, END_OF_OUTPUT);
        default -> {
          if (!raw()) {
            inside(Kind.BLOCK_BEGIN, Kind.BLOCK_END, END_OF_BLOCK);
          }
        }
      }
    }
    add(Kind.DATA, source.substring(at));
    at = source.length();
    add(Kind.END, "");
    return tokens;
  }

  /** Adds text before a tag, without the white space that the tag takes. */
  private void data(String text, int sign) {
    add(
        Kind.DATA,
        before(
            text,
            source.startsWith("-", sign),
            source.startsWith("+", sign) || source.charAt(sign - 1) == '{'));
  }

  private String before(String text, boolean strips, boolean keeps) {
    if (strips) {
      return text.stripTrailing();
    }
    int last = text.lastIndexOf('\n') + 1;
    boolean takes = !keeps && (last > 0 || lineStarts) && text.substring(last).isBlank();
    return takes ? text.substring(0, last) : text;
  }

  private void add(Kind kind, String text) {
    if (kind != Kind.DATA || !text.isEmpty()) {
      tokens.add(new Token(kind, text, line()));
    }
  }

  private int line() {
    for (; counted < at; counted++) {
      line += source.charAt(counted) == '\n' ? 1 : 0;
    }
    return line;
  }

  private void comment() {
    Matcher end = END_OF_COMMENT.matcher(source);
    if (!end.find(at + 2)) {
      throw new TemplateException("a comment has no end").at(line());
    }
    passTag(end);
  }

  private void passTag(Matcher end) {
    at = end.end();
    lineStarts = source.charAt(at - 1) == '\n';
  }

  private boolean raw() {
    Matcher begin = RAW.matcher(source).region(at, source.length());
    if (!begin.lookingAt()) {
      return false;
    }
    passTag(begin);
    Matcher end = END_OF_RAW.matcher(source);
    if (!end.find(at)) {
      throw new TemplateException("'raw' has no end").at(line());
    }
    String sign = end.group(1);
    add(Kind.DATA, before(source.substring(at, end.start()), sign.equals("-"), sign.equals("+")));
    passTag(end);
    return true;
  }

  /** Adds what is inside of a tag, and its ends. */
  private void inside(Kind begin, Kind close, Pattern closing) {
    add(begin, "");
    at += 2;
    if (source.startsWith("-", at) || source.startsWith("+", at)) {
      at++;
    }
    Matcher end = closing.matcher(source);
    Deque<String> open = new ArrayDeque<>();
    while (true) {
      next(SPACE);
      if (open.isEmpty() && end.region(at, source.length()).lookingAt()) {
        add(close, "");
        passTag(end);
        return;
      }
      token(open);
    }
  }

  private String next(Pattern pattern) {
    Matcher next = pattern.matcher(source).region(at, source.length());
    if (!next.lookingAt()) {
      return "";
    }
    at = next.end();
    return next.group();
  }

  private void token(Deque<String> open) {
    int from = at;
    for (var each : List.of(Kind.NAME, Kind.DECIMAL, Kind.WHOLE, Kind.STRING, Kind.OPERATOR)) {
      String text = next(pattern(each));
      if (!text.isEmpty()) {
        int to = at;
        at = from;
        add(each, each == Kind.STRING ? StringLiteral.unquoted(text) : text);
        at = to;
        nest(each == Kind.OPERATOR ? text : "", open);
        return;
      }
    }
    String what =
        at < source.length() ? "'" + source.charAt(at) + "' is" : "the end of the template is";
    throw new TemplateException(what + " not expected in a tag").at(line());
  }

  private static Pattern pattern(Kind kind) {
    return switch (kind) {
      case NAME -> NAME;
      case DECIMAL -> DECIMAL;
      case WHOLE -> WHOLE;
      case STRING -> STRING;
      default -> OPERATOR;
    };
  }

  private void nest(String operator, Deque<String> open) {
    if (OPENING.contains(operator)) {
      open.push(operator);
    } else if (CLOSING.contains(operator) && open.poll() == null) {
      throw new TemplateException("'" + operator + "' closes nothing").at(line());
    }
  }
}
