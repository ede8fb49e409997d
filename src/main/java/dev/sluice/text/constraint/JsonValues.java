package dev.sluice.text.constraint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.automaton.Automaton;

/** The texts of JSON values of a kind. One thread. */
final class JsonValues {
  /** What a schema may name, in the order in which they are compiled. */
  static final List<String> TYPES =
      List.of("object", "array", "string", "integer", "number", "boolean", "null");

  /** Arrays and objects in each other, where a schema says nothing of them. */
  private static final int DEEPEST = 3;

  private static final String NUMBER =
      "-?(?:0|[1-9][0-9]{0,17})(?:\\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?";
  private static final String PLAIN = "[^\"\\\\\\x00-\\x1F]";
  private static final String CHARACTER =
      "(?:" + PLAIN + "|\\\\[\"\\\\/bfnrt]|\\\\u00[01][0-9a-f])";

  private final Languages languages;

  /** The same ones are parts of many: the fewer states they have, the better. */
  private final Automaton character;

  private final Automaton plain;
  private final Automaton number;

  /** By the depth of arrays and objects in it. */
  private final Map<Integer, Automaton> any = new HashMap<>();

  JsonValues(Languages languages) {
    this.languages = languages;
    this.character = languages.deterministic(regex(CHARACTER));
    this.plain = languages.deterministic(regex(PLAIN));
    this.number = languages.deterministic(regex(NUMBER));
  }

  private Automaton regex(String regex) {
    return RegexParser.whole(regex, languages);
  }

  Automaton integer() {
    return regex("-?(?:0|[1-9][0-9]{0,17})");
  }

  Automaton number() {
    return number;
  }

  Automaton bool() {
    return regex("true|false");
  }

  Automaton colon() {
    return regex(": ?");
  }

  Automaton comma() {
    return regex(", ?");
  }

  /** Returns strings of a number of characters, counted as they are meant: an escape is one. */
  Automaton string(int least, int most) {
    return quoted(languages.repeat(character, least, most));
  }

  /** Returns strings that are a pattern's too. None of their characters is escaped. */
  Automaton string(int least, int most, Automaton pattern) {
    return quoted(languages.both(pattern, languages.repeat(plain, least, most)));
  }

  private Automaton quoted(Automaton characters) {
    return languages.sequence(languages.text("\""), characters, languages.text("\""));
  }

  Automaton array(Automaton item, int least, int most) {
    Automaton items;
    if (most == 0) {
      items = languages.nothing();
    } else if (least <= 1 && most == Languages.UNBOUNDED) {
      items = languages.separated(item, comma());
    } else {
      Automaton further = languages.sequence(comma(), item);
      items =
          languages.sequence(
              item,
              languages.repeat(
                  further, Math.max(0, least - 1), most == Languages.UNBOUNDED ? most : most - 1));
    }
    return languages.sequence(
        languages.text("["), least == 0 ? languages.optional(items) : items, languages.text("]"));
  }

  /** Returns all values, with arrays and objects in each other to some depth. */
  Automaton any() {
    return any(DEEPEST);
  }

  Automaton anyObject() {
    return object(any(DEEPEST - 1));
  }

  /** Returns objects whose members have any names and these values. */
  Automaton object(Automaton value) {
    Automaton member = languages.sequence(string(0, Languages.UNBOUNDED), colon(), value);
    return languages.sequence(
        languages.text("{"),
        languages.optional(languages.separated(member, comma())),
        languages.text("}"));
  }

  private Automaton any(int depth) {
    Automaton known = any.get(depth);
    if (known == null) {
      known = languages.deterministic(languages.oneOf(choices(depth)));
      any.put(depth, known);
    }
    return known;
  }

  private List<Automaton> choices(int depth) {
    List<Automaton> choices = new ArrayList<>();
    choices.add(string(0, Languages.UNBOUNDED));
    choices.add(number());
    choices.add(bool());
    choices.add(languages.text("null"));
    if (depth > 0) {
      choices.add(array(any(depth - 1), 0, Languages.UNBOUNDED));
      choices.add(object(any(depth - 1)));
    }
    return choices;
  }
}
