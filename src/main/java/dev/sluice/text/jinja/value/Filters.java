package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Filters: what a template does with a value behind {@code |}. Those of lists are apart. */
public final class Filters {
  /** A filter. */
  @FunctionalInterface
  public interface Filter {
    /**
     * Returns another value for one.
     *
     * @throws TemplateException if the value or the arguments are wrong
     */
    Value of(Value value, Arguments arguments, Rendering rendering);
  }

  private Filters() {}

  /**
   * Returns a filter.
   *
   * @throws TemplateException if there is none of that name
   */
  public static Filter named(String name) {
    return switch (name) {
      case "trim" -> (value, arguments, _) -> TextMethods.strip(text(value), arguments, true, true);
      case "upper" -> (value, _, _) -> text(value).map(part -> part.toUpperCase(Locale.ROOT));
      case "lower" -> (value, _, _) -> text(value).map(part -> part.toLowerCase(Locale.ROOT));
      case "title" -> (value, _, _) -> TextMethods.title(text(value));
      case "capitalize" -> (value, _, _) -> TextMethods.capitalized(text(value));
      case "replace" ->
          (value, arguments, rendering) -> TextMethods.replace(text(value), arguments, rendering);
      case "indent" -> (value, arguments, rendering) -> indented(text(value), arguments, rendering);
      case "format" ->
          (value, arguments, rendering) -> TextFormats.percent(text(value), arguments, rendering);
      case "string" -> (value, _, _) -> text(value);
      case "safe" -> (value, _, _) -> value;
      case "tojson" -> JsonText::of;
      case "length", "count" -> (value, _, rendering) -> length(value, rendering);
      case "default", "d" -> (value, arguments, _) -> otherwise(value, arguments);
      case "int" -> (value, arguments, _) -> whole(value, arguments);
      case "float" -> (value, arguments, _) -> decimal(value, arguments);
      case "abs" ->
          (value, _, _) -> Operators.number(value) < 0 ? Arithmetic.negated(value) : value;
      case "round" -> (value, arguments, _) -> rounded(value, arguments);
      case "items" -> (value, _, rendering) -> items(value, rendering);
      case "attr" ->
          (value, arguments, _) -> Members.own(value, arguments.text(0, "name").toString());
      default -> ListFilters.named(name);
    };
  }

  private static MarkedText text(Value value) {
    return PythonText.of(value);
  }

  private static Value length(Value value, Rendering rendering) {
    return switch (value) {
      case MarkedText text ->
          new Whole(text.toString().codePointCount(0, text.toString().length()));
      default -> new Whole(Operators.elements(value, rendering).size());
    };
  }

  private static Value otherwise(Value value, Arguments arguments) {
    boolean replaced =
        value instanceof Undefined || (arguments.flag(1, "boolean") && !Operators.truth(value));
    return replaced ? arguments.get(0, "default_value", MarkedText.EMPTY) : value;
  }

  private static Value items(Value value, Rendering rendering) {
    return switch (value) {
      case Mapping mapping -> Members.items(mapping, rendering);
      case Undefined _ -> Items.list(List.of());
      default -> throw new TemplateException(Operators.kind(value) + " has no items");
    };
  }

  private static Value whole(Value value, Arguments arguments) {
    Value otherwise = arguments.get(0, "default", new Whole(0));
    try {
      return switch (value) {
        case MarkedText text -> new Whole(new BigDecimal(text.toString().strip()).longValue());
        case Undefined _, None _ -> otherwise;
        case Whole _ -> value;
        default -> new Whole((long) Operators.number(value));
      };
    } catch (NumberFormatException | TemplateException _) {
      return otherwise;
    }
  }

  private static Value decimal(Value value, Arguments arguments) {
    try {
      return new Value.Decimal(
          value instanceof MarkedText text
              ? Double.parseDouble(text.toString())
              : Operators.number(value));
    } catch (NumberFormatException | TemplateException _) {
      return arguments.get(0, "default", new Value.Decimal(0));
    }
  }

  private static Value rounded(Value value, Arguments arguments) {
    double scale = Math.pow(10, arguments.whole(0, "precision", 0));
    double scaled = Operators.number(value) * scale;
    String method = arguments.get(1, "method", MarkedText.own("common")).toString();
    return new Value.Decimal(
        switch (method) {
              case "ceil" -> Math.ceil(scaled);
              case "floor" -> Math.floor(scaled);
              default -> Math.rint(scaled);
            }
            / scale);
  }

  private static Value indented(MarkedText text, Arguments arguments, Rendering rendering) {
    Value width = arguments.get(0, "width", new Whole(4));
    MarkedText indent =
        width instanceof MarkedText given
            ? given
            : MarkedText.own(" ".repeat(Math.clamp(arguments.whole(0, "width", 4), 0, 64)));
    boolean blank = arguments.flag(2, "blank");
    var out = new MarkedText.Builder();
    List<Value> lines = new ArrayList<>(TextMethods.lines(text.plus(MarkedText.own("\n"))));
    for (int i = 0; i < lines.size(); i++) {
      MarkedText line = (MarkedText) lines.get(i);
      boolean indents = i == 0 ? arguments.flag(1, "first") : blank || !line.isEmpty();
      out.own(i == 0 ? "" : "\n").append(indents ? indent : MarkedText.EMPTY).append(line);
      rendering.bound(out.length());
    }
    return out.build();
  }
}
