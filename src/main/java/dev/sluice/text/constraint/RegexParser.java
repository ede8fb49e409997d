package dev.sluice.text.constraint;

import dev.sluice.text.constraint.CodePoints.Range;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.util.automaton.Automaton;

/**
 * Parses regular expressions in the syntax that JavaScript, Python and JSON schemas share, as far
 * as it describes a regular language: no look-around, no back references, no assertions within.
 * Groups do not capture, and that a repetition is lazy changes nothing.
 */
final class RegexParser {
  private static final int LONGEST = 8_192;
  private static final int DEEPEST = 64;
  private static final int MOST_REPETITIONS = 10_000;
  private static final int END = -1;

  private final int[] pattern;

  /** Whether a text only has to contain what is described. */
  private final boolean search;

  private final Languages languages;
  private int at;
  private int depth;

  private RegexParser(String regex, boolean search, Languages languages) {
    if (regex.length() > LONGEST) {
      throw new InvalidConstraint(
          "has %d characters; it may have %d".formatted(regex.length(), LONGEST));
    }
    languages.requireWork(regex.length());
    this.pattern = regex.codePoints().toArray();
    this.search = search;
    this.languages = languages;
  }

  /**
   * Returns the texts that an expression describes from their beginning to their end.
   *
   * @throws InvalidConstraint if it is no such expression, or is too large
   */
  static Automaton whole(String regex, Languages languages) {
    return new RegexParser(regex, false, languages).parse();
  }

  /** Returns the texts that contain what an expression describes, as JSON schemas mean it. */
  static Automaton within(String regex, Languages languages) {
    return new RegexParser(regex, true, languages).parse();
  }

  private Automaton parse() {
    List<Automaton> choices = new ArrayList<>();
    do {
      choices.add(anchored());
    } while (accept('|'));
    if (at < pattern.length) {
      throw wrong("an unmatched ')'");
    }
    return languages.oneOf(choices);
  }

  /** Parses an alternative of the whole expression, which may say where it begins and ends. */
  private Automaton anchored() {
    boolean begins = accept('^');
    List<Automaton> parts = parts();
    boolean ends = accept('$');
    if (ends && peek() != '|' && peek() != END) {
      throw wrong("a '$' that is not at the end");
    }
    if (search && !begins) {
      parts.addFirst(anything());
    }
    if (search && !ends) {
      parts.add(anything());
    }
    return languages.sequence(parts);
  }

  private Automaton anything() {
    return languages.repeat(CodePoints.ALL.toAutomaton(), 0, Languages.UNBOUNDED);
  }

  private List<Automaton> parts() {
    List<Automaton> parts = new ArrayList<>();
    while (peek() != END && peek() != '|' && peek() != ')' && peek() != '$') {
      parts.add(repeated(atom()));
    }
    return parts;
  }

  private Automaton group() {
    if (++depth > DEEPEST) {
      throw wrong("more than " + DEEPEST + " groups in each other");
    }
    if (accept('?')) {
      groupName();
    }
    List<Automaton> choices = new ArrayList<>();
    do {
      choices.add(languages.sequence(parts()));
    } while (accept('|'));
    if (peek() == '$') {
      throw wrong("a '$' that is not at the end");
    }
    if (!accept(')')) {
      throw wrong("a group without its ')'");
    }
    depth--;
    return languages.oneOf(choices);
  }

  /** Passes over the name of a group, or that it has none. */
  private void groupName() {
    if (accept(':')) {
      return;
    }
    accept('P');
    if (!accept('<') || peek() == '=' || peek() == '!') {
      throw wrong("a group (?" + shown(peek()) + ", which is not supported");
    }
    while (Character.isLetterOrDigit(peek()) || peek() == '_') {
      at++;
    }
    if (!accept('>')) {
      throw wrong("a group's name without its '>'");
    }
  }

  private Automaton atom() {
    int c = pattern[at++];
    return switch (c) {
      case '(' -> group();
      case '[' -> new CharacterClass().parse().toAutomaton();
      case '.' -> CodePoints.ON_A_LINE.toAutomaton();
      case '\\' -> escape().toAutomaton();
      case '^' -> throw wrong("a '^' that is not at the beginning");
      case '*', '+', '?' -> throw wrong("a '" + shown(c) + "' with nothing to repeat");
      default -> CodePoints.of(c, c).toAutomaton();
    };
  }

  private Automaton repeated(Automaton part) {
    int before = at;
    Automaton repeated =
        switch (peek()) {
          case '*' -> repeated(part, 0, Languages.UNBOUNDED);
          case '+' -> repeated(part, 1, Languages.UNBOUNDED);
          case '?' -> repeated(part, 0, 1);
          case '{' -> isCount() ? counted(part) : part;
          default -> part;
        };
    if (at > before) {
      accept('?');
      if (peek() == '+' || peek() == '*' || (peek() == '{' && isCount())) {
        throw wrong("a repetition of a repetition");
      }
    }
    return repeated;
  }

  private Automaton repeated(Automaton part, int least, int most) {
    at++;
    return languages.repeat(part, least, most);
  }

  /** Returns whether a brace begins a number of repetitions; else it is a character. */
  private boolean isCount() {
    return at + 1 < pattern.length && Character.digit(pattern[at + 1], 10) >= 0;
  }

  private Automaton counted(Automaton part) {
    at++;
    int least = count();
    int most = least;
    if (accept(',')) {
      most = peek() == '}' ? Languages.UNBOUNDED : count();
    }
    if (!accept('}')) {
      throw wrong("a number of repetitions without its '}'");
    }
    if (most != Languages.UNBOUNDED && most < least) {
      throw wrong("from %d to %d repetitions".formatted(least, most));
    }
    return languages.repeat(part, least, most);
  }

  private int count() {
    int count = 0;
    if (Character.digit(peek(), 10) < 0) {
      throw wrong("a number of repetitions without digits");
    }
    while (Character.digit(peek(), 10) >= 0) {
      count = 10 * count + Character.digit(pattern[at++], 10);
      if (count > MOST_REPETITIONS) {
        throw wrong("more than " + MOST_REPETITIONS + " repetitions");
      }
    }
    return count;
  }

  /** Reads what follows a backslash. */
  private CodePoints escape() {
    if (at == pattern.length) {
      throw wrong("a backslash at the end");
    }
    int c = pattern[at++];
    return switch (c) {
      case 'd' -> CodePoints.DIGITS;
      case 'D' -> CodePoints.DIGITS.negated();
      case 'w' -> CodePoints.WORD;
      case 'W' -> CodePoints.WORD.negated();
      case 's' -> CodePoints.SPACE;
      case 'S' -> CodePoints.SPACE.negated();
      default -> {
        int one = escaped(c);
        yield CodePoints.of(one, one);
      }
    };
  }

  private int escaped(int c) {
    return switch (c) {
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 'f' -> '\f';
      case 'v' -> 0x0B;
      case 'x' -> hex(2);
      case 'u' -> unicode();
      default -> {
        if (Character.isLetterOrDigit(c)) {
          throw wrong("an escape \\" + shown(c) + ", which is not supported");
        }
        yield c;
      }
    };
  }

  private int unicode() {
    int unit = hex(4);
    boolean pair =
        Character.isHighSurrogate((char) unit)
            && at + 1 < pattern.length
            && pattern[at] == '\\'
            && pattern[at + 1] == 'u';
    if (pair) {
      at += 2;
      unit = Character.toCodePoint((char) unit, (char) hex(4));
    }
    if (unit > Character.MAX_CODE_POINT || (unit >= 0xD800 && unit <= 0xDFFF)) {
      throw wrong("half a character");
    }
    return unit;
  }

  private int hex(int digits) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = Character.digit(peek(), 16);
      if (digit < 0) {
        throw wrong("an escape without %d hexadecimal digits".formatted(digits));
      }
      value = 16 * value + digit;
      at++;
    }
    return value;
  }

  /** Parses the characters between brackets. */
  private final class CharacterClass {
    private final List<Range> ranges = new ArrayList<>();

    CodePoints parse() {
      boolean negated = accept('^');
      boolean first = true;
      while (first || peek() != ']') {
        if (peek() == END) {
          throw wrong("a '[' without its ']'");
        }
        member();
        first = false;
      }
      at++;
      CodePoints all = CodePoints.union(ranges);
      return negated ? all.negated() : all;
    }

    private void member() {
      CodePoints from = one();
      boolean range = peek() == '-' && at + 1 < pattern.length && pattern[at + 1] != ']';
      if (!range) {
        ranges.addAll(from.ranges());
        return;
      }
      at++;
      CodePoints to = one();
      if (single(to) < single(from)) {
        throw wrong("a range that ends before it begins");
      }
      ranges.add(new Range(single(from), single(to)));
    }

    private CodePoints one() {
      if (peek() == END) {
        throw wrong("a '[' without its ']'");
      }
      int c = pattern[at++];
      if (c != '\\') {
        return CodePoints.of(c, c);
      }
      if (peek() == 'b') {
        at++;
        return CodePoints.of('\b', '\b');
      }
      return escape();
    }

    private int single(CodePoints bound) {
      Range range = bound.ranges().getFirst();
      if (bound.ranges().size() > 1 || range.first() != range.last()) {
        throw wrong("a range whose end is more than one character");
      }
      return range.first();
    }
  }

  private int peek() {
    return at < pattern.length ? pattern[at] : END;
  }

  private boolean accept(int c) {
    if (peek() == c) {
      at++;
      return true;
    }
    return false;
  }

  private static String shown(int c) {
    return c == END ? "" : Character.toString(c);
  }

  private InvalidConstraint wrong(String what) {
    return new InvalidConstraint("has %s at character %d".formatted(what, Math.max(0, at - 1)));
  }
}
