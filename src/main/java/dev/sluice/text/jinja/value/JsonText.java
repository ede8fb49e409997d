package dev.sluice.text.jinja.value;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes values as JSON, with the white space of Python's. One thread. */
final class JsonText {
  private final MarkedText.Builder out = new MarkedText.Builder();
  private final String indent;
  private final String between;
  private final String colon;
  private final boolean sorted;
  private final boolean ascii;

  /**
   * @param arguments of the filter {@code tojson}: {@code ensure_ascii}, {@code indent}, {@code
   *     separators}, {@code sort_keys}
   */
  private JsonText(Arguments arguments) {
    ascii = arguments.flag(0, "ensure_ascii");
    indent = indent(arguments.get(1, "indent", Value.None.NONE));
    sorted = arguments.flag(3, "sort_keys");
    if (arguments.get(2, "separators", Value.None.NONE) instanceof Value.Items(List<Value> two, _)
        && two.size() == 2) {
      between = two.get(0).toString();
      colon = two.get(1).toString();
    } else {
      between = indent.isEmpty() ? ", " : ",";
      colon = ": ";
    }
  }

  private static String indent(Value indent) {
    return switch (indent) {
      case Value.Whole(long spaces) -> "\n" + " ".repeat(Math.clamp(spaces, 0, 16));
      case MarkedText text -> "\n" + text;
      default -> "";
    };
  }

  /** Returns a value as JSON. */
  static MarkedText of(Value value, Arguments arguments, Rendering rendering) {
    var json = new JsonText(arguments);
    json.write(value, json.indent.isEmpty() ? "" : "\n", rendering);
    return json.out.build();
  }

  /**
   * @param line what begins a line, before more of the indent; empty for one line
   */
  private void write(Value value, String line, Rendering rendering) {
    rendering.step();
    rendering.bound(out.length());
    switch (value) {
      case MarkedText text -> quoted(text);
      case Value.None _ -> out.own("null");
      case Value.Bool(boolean is) -> out.own(is ? "true" : "false");
      case Value.Whole(long number) -> out.own(Long.toString(number));
      case Value.Decimal(double number) -> out.own(PythonText.decimal(number));
      case Value.Items(List<Value> items, _) -> items(items, line, rendering);
      case Value.Mapping(Map<Value, Value> entries) -> mapping(entries, line, rendering);
      default -> throw new TemplateException(Operators.kind(value) + " cannot be written as JSON");
    }
  }

  private String deeper(String line) {
    return line.isEmpty() ? "" : line + indent.substring(1);
  }

  private void items(List<Value> items, String line, Rendering rendering) {
    out.own("[");
    for (int i = 0; i < items.size(); i++) {
      out.own(i == 0 ? "" : between).own(deeper(line));
      write(items.get(i), deeper(line), rendering);
    }
    out.own(items.isEmpty() ? "]" : line + "]");
  }

  private void mapping(Map<Value, Value> entries, String line, Rendering rendering) {
    out.own("{");
    for (Iterator<Map.Entry<Value, Value>> all = ordered(entries); all.hasNext(); ) {
      Map.Entry<Value, Value> entry = all.next();
      out.own(deeper(line));
      quoted(
          entry.getKey() instanceof MarkedText text
              ? text
              : of(entry.getKey(), Arguments.NONE, rendering));
      out.own(colon);
      write(entry.getValue(), deeper(line), rendering);
      out.own(all.hasNext() ? between : "");
    }
    out.own(entries.isEmpty() ? "}" : line + "}");
  }

  private Iterator<Map.Entry<Value, Value>> ordered(Map<Value, Value> entries) {
    List<Map.Entry<Value, Value>> all = new ArrayList<>(entries.entrySet());
    if (sorted) {
      all.sort((one, other) -> Operators.compare(one.getKey(), other.getKey()));
    }
    return all.iterator();
  }

  private void quoted(MarkedText text) {
    out.own("\"").append(text.map(this::escaped)).own("\"");
  }

  private String escaped(String text) {
    var json = new StringBuilder(text.length());
    text.chars()
        .forEach(c -> {
          switch (c) {
            case '"' -> json.append("\\\"");
            case '\\' -> json.append("\\\\");
            case '\n' -> json.append("\\n");
            case '\r' -> json.append("\\r");
            case '\t' -> json.append("\\t");
            case '\f' -> json.append("\\f");
            case '\b' -> json.append("\\b");
            default -> {
              if (c < ' ' || (ascii && c > 0x7E)) {
                json.append("\\u%04x".formatted(c));
              } else {
                json.append((char) c);
              }
            }
          }
        });
    return json.toString();
  }
}
