package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Callable;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/** Methods of texts, as in Python. */
final class TextMethods {
  private TextMethods() {}

  /** Returns a method; undefined if there is none of that name. */
  static Value of(MarkedText text, String name) {
    return switch (name) {
      case "strip" -> method((arguments, _) -> strip(text, arguments, true, true));
      case "lstrip" -> method((arguments, _) -> strip(text, arguments, true, false));
      case "rstrip" -> method((arguments, _) -> strip(text, arguments, false, true));
      case "split" -> method((arguments, rendering) -> split(text, arguments, rendering));
      case "rsplit" -> method((arguments, rendering) -> splitLast(text, arguments, rendering));
      case "splitlines" -> method((_, rendering) -> list(lines(text), rendering));
      case "startswith" -> method((arguments, _) -> Bool.of(affix(text, arguments, true)));
      case "endswith" -> method((arguments, _) -> Bool.of(affix(text, arguments, false)));
      case "removeprefix" -> method((arguments, _) -> without(text, arguments, true));
      case "removesuffix" -> method((arguments, _) -> without(text, arguments, false));
      case "replace" -> method((arguments, rendering) -> replace(text, arguments, rendering));
      case "join" -> method((arguments, rendering) -> joined(text, arguments, rendering));
      case "format" ->
          method((arguments, rendering) -> TextFormats.braces(text, arguments, rendering));
      case "find" -> method((arguments, _) -> found(text, arguments, true));
      case "rfind" -> method((arguments, _) -> found(text, arguments, false));
      case "count" -> method((arguments, _) -> count(text, arguments));
      default -> cased(text, name);
    };
  }

  private static Callable method(Callable method) {
    return method;
  }

  private static Value cased(MarkedText text, String name) {
    return switch (name) {
      case "upper" -> method((_, _) -> text.map(part -> part.toUpperCase(Locale.ROOT)));
      case "lower" -> method((_, _) -> text.map(part -> part.toLowerCase(Locale.ROOT)));
      case "title" -> method((_, _) -> title(text));
      case "capitalize" -> method((_, _) -> capitalized(text));
      case "isdigit", "isdecimal", "isnumeric" -> method((_, _) -> all(text, Character::isDigit));
      case "isalpha" -> method((_, _) -> all(text, Character::isLetter));
      case "isalnum" -> method((_, _) -> all(text, Character::isLetterOrDigit));
      case "isspace" -> method((_, _) -> all(text, TextMethods::isSpace));
      case "isupper" -> method((_, _) -> Bool.of(isCased(text, true)));
      case "islower" -> method((_, _) -> Bool.of(isCased(text, false)));
      default -> new Undefined("a text has no attribute '" + name + "'");
    };
  }

  private static Bool all(MarkedText text, IntPredicate kind) {
    return Bool.of(!text.isEmpty() && text.toString().codePoints().allMatch(kind));
  }

  /** Returns whether all letters that have a case have this one, and there are any. */
  static boolean isCased(MarkedText text, boolean upper) {
    IntPredicate wrong = upper ? Character::isLowerCase : Character::isUpperCase;
    IntPredicate right = upper ? Character::isUpperCase : Character::isLowerCase;
    String all = text.toString();
    return all.codePoints().noneMatch(wrong) && all.codePoints().anyMatch(right);
  }

  private static boolean isSpace(int c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
  }

  /** Returns text without white space, or the characters of the first argument, at its ends. */
  static MarkedText strip(MarkedText text, Arguments arguments, boolean first, boolean last) {
    IntPredicate strips =
        arguments.get(0, "chars", None.NONE) instanceof MarkedText chars
            ? c -> chars.toString().indexOf(c) >= 0
            : TextMethods::isSpace;
    String all = text.toString();
    int from = 0;
    int to = all.length();
    while (first && from < to && strips.test(all.codePointAt(from))) {
      from = all.offsetByCodePoints(from, 1);
    }
    while (last && to > from && strips.test(all.codePointBefore(to))) {
      to = all.offsetByCodePoints(to, -1);
    }
    return text.slice(from, to);
  }

  private static Items list(List<Value> values, Rendering rendering) {
    rendering.elements(values.size());
    return Items.list(values);
  }

  private static Value split(MarkedText text, Arguments arguments, Rendering rendering) {
    int most = arguments.whole(1, "maxsplit", -1);
    List<Value> parts = new ArrayList<>();
    if (!(arguments.get(0, "sep", None.NONE) instanceof MarkedText separator)) {
      return list(words(text, most), rendering);
    }
    requireSeparator(separator);
    int from = 0;
    for (int at = next(text, separator, from);
        at >= 0 && parts.size() != most;
        at = next(text, separator, from)) {
      parts.add(text.slice(from, at));
      from = at + separator.length();
    }
    parts.add(text.slice(from, text.length()));
    return list(parts, rendering);
  }

  private static int next(MarkedText text, MarkedText separator, int from) {
    return text.toString().indexOf(separator.toString(), from);
  }

  private static void requireSeparator(MarkedText separator) {
    if (separator.isEmpty()) {
      throw new TemplateException("the separator is empty");
    }
  }

  private static List<Value> words(MarkedText text, int most) {
    List<Value> words = new ArrayList<>();
    MarkedText rest = strip(text, Arguments.NONE, true, false);
    while (!rest.isEmpty()) {
      String all = rest.toString();
      int end = 0;
      while (end < all.length() && (words.size() == most || !isSpace(all.codePointAt(end)))) {
        end = all.offsetByCodePoints(end, 1);
      }
      words.add(rest.slice(0, end));
      rest = strip(rest.slice(end, rest.length()), Arguments.NONE, true, false);
    }
    return words;
  }

  private static Value splitLast(MarkedText text, Arguments arguments, Rendering rendering) {
    MarkedText separator = arguments.text(0, "sep");
    requireSeparator(separator);
    int most = arguments.whole(1, "maxsplit", -1);
    List<Value> parts = new ArrayList<>();
    int to = text.length();
    for (int at = to; at >= 0 && parts.size() != most; ) {
      at = text.toString().lastIndexOf(separator.toString(), to - separator.length());
      if (at >= 0) {
        parts.addFirst(text.slice(at + separator.length(), to));
        to = at;
      }
    }
    parts.addFirst(text.slice(0, to));
    return list(parts, rendering);
  }

  /** Returns the lines of a text, without their ends. */
  static List<Value> lines(MarkedText text) {
    List<Value> lines = new ArrayList<>();
    String all = text.toString();
    for (int from = 0; from < all.length(); ) {
      int end = from;
      while (end < all.length() && all.charAt(end) != '\n' && all.charAt(end) != '\r') {
        end++;
      }
      lines.add(text.slice(from, end));
      from = end + (all.startsWith("\r\n", end) ? 2 : 1);
    }
    return lines;
  }

  private static boolean affix(MarkedText text, Arguments arguments, boolean begin) {
    List<Value> affixes =
        arguments.require(0, "prefix") instanceof Items(List<Value> several, _)
            ? several
            : List.of(arguments.text(0, "prefix"));
    return affixes.stream()
        .map(Value::toString)
        .anyMatch(
            affix -> begin ? text.toString().startsWith(affix) : text.toString().endsWith(affix));
  }

  private static MarkedText without(MarkedText text, Arguments arguments, boolean begin) {
    int length = arguments.text(0, "prefix").length();
    if (!affix(text, arguments, begin)) {
      return text;
    }
    return begin ? text.slice(length, text.length()) : text.slice(0, text.length() - length);
  }

  /** Returns text with the first argument replaced by the second, a number of times at most. */
  static MarkedText replace(MarkedText text, Arguments arguments, Rendering rendering) {
    MarkedText old = arguments.text(0, "old");
    MarkedText other = arguments.text(1, "new");
    int most = arguments.whole(2, "count", -1);
    requireSeparator(old);
    var out = new MarkedText.Builder();
    int from = 0;
    int done = 0;
    for (int at = next(text, old, 0); at >= 0 && done != most; at = next(text, old, from)) {
      out.append(text, from, at).append(other);
      rendering.bound(out.length());
      from = at + old.length();
      done++;
    }
    return out.append(text, from, text.length()).build();
  }

  private static MarkedText joined(MarkedText between, Arguments arguments, Rendering rendering) {
    List<Value> values = Operators.elements(arguments.require(0, "values"), rendering);
    for (Value value : values) {
      if (!(value instanceof MarkedText)) {
        throw new TemplateException(Operators.kind(value) + " cannot be joined to a text");
      }
    }
    return joined(values, between, rendering);
  }

  /** Returns several values, with a text between. */
  static MarkedText joined(List<Value> values, MarkedText between, Rendering rendering) {
    var out = new MarkedText.Builder();
    for (int i = 0; i < values.size(); i++) {
      out.append(i == 0 ? MarkedText.EMPTY : between).append(PythonText.of(values.get(i)));
      rendering.bound(out.length());
    }
    return out.build();
  }

  private static Value found(MarkedText text, Arguments arguments, boolean first) {
    String all = text.toString();
    String part = arguments.text(0, "sub").toString();
    int at = first ? all.indexOf(part) : all.lastIndexOf(part);
    return new Whole(at < 0 ? -1 : all.codePointCount(0, at));
  }

  private static Value count(MarkedText text, Arguments arguments) {
    MarkedText part = arguments.text(0, "sub");
    requireSeparator(part);
    int count = 0;
    for (int at = next(text, part, 0); at >= 0; at = next(text, part, at + part.length())) {
      count++;
    }
    return new Whole(count);
  }

  /** Returns text whose words begin with a capital, and have no others. */
  static MarkedText title(MarkedText text) {
    var out = new MarkedText.Builder();
    String all = text.toString();
    boolean begins = true;
    for (int at = 0; at < all.length(); ) {
      int end = all.offsetByCodePoints(at, 1);
      MarkedText one = text.slice(at, end);
      out.append(begins ? upper(one) : lower(one));
      begins = !Character.isLetter(all.codePointAt(at));
      at = end;
    }
    return out.build();
  }

  /** Returns text with a capital first, and no others. */
  static MarkedText capitalized(MarkedText text) {
    int first = text.isEmpty() ? 0 : text.toString().offsetByCodePoints(0, 1);
    return upper(text.slice(0, first)).plus(lower(text.slice(first, text.length())));
  }

  private static MarkedText upper(MarkedText text) {
    return text.map(part -> part.toUpperCase(Locale.ROOT));
  }

  private static MarkedText lower(MarkedText text) {
    return text.map(part -> part.toLowerCase(Locale.ROOT));
  }
}
