package dev.sluice.config.binding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One value that was set. Each method reads it as one type, or complains with its full name, what
 * was got and what is wanted.
 */
public record Setting(SettingsTree tree, String name, JsonNode node) {
  /** Characters of a value that a complaint repeats: anything may have been pasted there. */
  private static final int SHOWN = 60;

  static final String FLAG_WANTED = "true or false";

  /** Returns whether the value is a table of keys. */
  public boolean isTable() {
    return node.isObject();
  }

  /** Returns the value as a text. */
  public String text() {
    return scalar("a text");
  }

  /** Returns a text of a certain form, whatever YAML takes it for. */
  public String matching(Pattern form, String wanted) {
    String text = scalar(wanted);
    if (!form.matcher(text).matches()) {
      throw wanted(wanted);
    }
    return text;
  }

  boolean flag() {
    return switch (scalar(FLAG_WANTED)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wanted(FLAG_WANTED);
    };
  }

  /** Returns the value as a whole number within bounds. */
  public int number(int lowest, int highest) {
    return number(lowest, highest, numberWanted(lowest, highest));
  }

  int number(int lowest, int highest, String wanted) {
    return (int) whole(lowest, highest, wanted);
  }

  static String numberWanted(int lowest, int highest) {
    return "a whole number from " + lowest + " to " + highest;
  }

  /** Returns the value as a number within bounds. */
  public double decimal(double lowest, double highest) {
    String wanted = decimalWanted(lowest, highest);
    String text = scalar(wanted);
    if (!text.matches("-?\\d{1,15}(\\.\\d{1,15})?")) {
      throw wanted(wanted);
    }
    double number = Double.parseDouble(text);
    if (number < lowest || number > highest) {
      throw wanted(wanted);
    }
    return number;
  }

  /** Says in an error what numbers are wanted. */
  public static String decimalWanted(double lowest, double highest) {
    return "a number from " + show(lowest) + " to " + show(highest);
  }

  private static String show(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  /** Returns the value as a version's number. */
  public long version() {
    return whole(0, Long.MAX_VALUE, "a version, which is a whole number from 0 up");
  }

  Duration duration() {
    return duration(Units.DURATION_WANTED);
  }

  Duration duration(String wanted) {
    String text = scalar(wanted);
    return Units.duration(text).orElseThrow(() -> wanted(wanted));
  }

  /** Returns a number of bytes. */
  long size(long lowest, long highest) {
    String wanted = sizeWanted(lowest, highest);
    return Units.size(scalar(wanted))
        .filter(size -> size >= lowest && size <= highest)
        .orElseThrow(() -> wanted(wanted));
  }

  static String sizeWanted(long lowest, long highest) {
    return Units.SIZE_WANTED + ", from " + Units.show(lowest) + " to " + Units.show(highest);
  }

  /** Says in an error what constants are wanted. */
  public static <E extends Enum<E>> String constantWanted(Class<E> type) {
    return "one of " + String.join(", ", constants(type).keySet());
  }

  private static <E extends Enum<E>> Map<String, E> constants(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .collect(
            Collectors.toMap(
                constant -> constant.name().toLowerCase(Locale.ROOT),
                constant -> constant,
                (first, _) -> first,
                LinkedHashMap::new));
  }

  /** Returns one of an enum's constants, in lower case. */
  public <E extends Enum<E>> E constant(Class<E> type) {
    String wanted = constantWanted(type);
    E constant = constants(type).get(scalar(wanted));
    if (constant == null) {
      throw wanted(wanted);
    }
    return constant;
  }

  /** Returns a list's elements, at least one. A text is a list with commas, as flags need it. */
  public List<Setting> elements() {
    List<Setting> elements = new ArrayList<>();
    if (node.isArray()) {
      node.forEach(element -> elements.add(element(elements.size(), element)));
    } else {
      for (String element : scalar("a list").split(",", -1)) {
        elements.add(element(elements.size(), TextNode.valueOf(element.strip())));
      }
    }
    if (elements.isEmpty()) {
      throw wanted("at least one");
    }
    return elements;
  }

  /** Returns a list's elements, or the value itself if it is no list. */
  public List<Setting> each() {
    return node.isArray() ? elements() : List.of(this);
  }

  private Setting element(int index, JsonNode element) {
    return new Setting(tree, name + "[" + index + "]", element);
  }

  /** Returns a table's values under the names that people chose. */
  public Map<String, Setting> named() {
    Map<String, Setting> named = new LinkedHashMap<>();
    for (var field : table().properties()) {
      String inner = Section.join(name, field.getKey());
      named.put(field.getKey(), new Setting(tree, inner, field.getValue()));
    }
    return named;
  }

  /** Returns the value as a table of keys. */
  public Section section() {
    return new Section(tree, name, table());
  }

  /** Returns the table, where a single text is short for a table with only this key. */
  public Section sectionOr(String key) {
    return node.isObject()
        ? section()
        : new Section(
            tree, name, JsonNodeFactory.instance.objectNode().put(key, scalar("a table")));
  }

  /** Makes the error of the value, with what it is, cut, and what is wanted. */
  public ConfigException wanted(String wanted) {
    String got = node.toString();
    String shown = got.length() <= SHOWN ? got : got.substring(0, SHOWN) + "...";
    return tree.error(name, "is " + shown + "; wanted " + wanted);
  }

  private ObjectNode table() {
    if (node instanceof ObjectNode table) {
      return table;
    }
    throw wanted("a table of settings");
  }

  private long whole(long lowest, long highest, String wanted) {
    String text = scalar(wanted);
    // Eighteen digits always fit; the nineteenth is for the largest versions.
    if (!text.matches("-?\\d{1,18}|[1-8]\\d{18}")) {
      throw wanted(wanted);
    }
    long number = Long.parseLong(text);
    if (number < lowest || number > highest) {
      throw wanted(wanted);
    }
    return number;
  }

  private String scalar(String wanted) {
    tree.wanted(name, wanted);
    if (!node.isValueNode() || node.isNull()) {
      throw wanted(wanted);
    }
    return node.asText();
  }
}
