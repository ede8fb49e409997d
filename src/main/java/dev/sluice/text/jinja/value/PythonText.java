package dev.sluice.text.jinja.value;

import java.math.BigDecimal;
import java.util.Iterator;
import java.util.Map;

/** Values as Python writes them. */
public final class PythonText {
  /** From this power of ten on, and below that one, a number is written with an exponent. */
  private static final int MOST_DIGITS = 16;

  private static final int LEAST_EXPONENT = -4;

  private PythonText() {}

  /** Returns what a value says: a text itself, nothing if it is undefined. */
  public static MarkedText of(Value value) {
    return switch (value) {
      case MarkedText text -> text;
      case Value.Undefined _ -> MarkedText.EMPTY;
      default -> {
        var out = new MarkedText.Builder();
        write(value, out);
        yield out.build();
      }
    };
  }

  private static void write(Value value, MarkedText.Builder out) {
    switch (value) {
      case MarkedText text -> quoted(text, out);
      case Value.Undefined _ -> out.own("Undefined");
      case Value.None _ -> out.own("None");
      case Value.Bool(boolean is) -> out.own(is ? "True" : "False");
      case Value.Whole(long number) -> out.own(Long.toString(number));
      case Value.Decimal(double number) -> out.own(decimal(number));
      case Value.Items items -> items(items, out);
      case Value.Mapping(Map<Value, Value> entries) -> mapping(entries, out);
      case Value.Namespace _, Value.Callable _ ->
          throw new TemplateException(Operators.kind(value) + " is no text");
    }
  }

  private static void items(Value.Items items, MarkedText.Builder out) {
    out.own(items.tuple() ? "(" : "[");
    for (int i = 0; i < items.items().size(); i++) {
      out.own(i == 0 ? "" : ", ");
      write(items.items().get(i), out);
    }
    boolean one = items.tuple() && items.items().size() == 1;
    out.own(one ? ",)" : items.tuple() ? ")" : "]");
  }

  private static void mapping(Map<Value, Value> entries, MarkedText.Builder out) {
    out.own("{");
    for (Iterator<Map.Entry<Value, Value>> all = entries.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Value, Value> entry = all.next();
      write(entry.getKey(), out);
      out.own(": ");
      write(entry.getValue(), out);
      out.own(all.hasNext() ? ", " : "");
    }
    out.own("}");
  }

  private static void quoted(MarkedText text, MarkedText.Builder out) {
    boolean single = text.toString().indexOf('\'') < 0 || text.toString().indexOf('"') >= 0;
    String quote = single ? "'" : "\"";
    out.own(quote).append(text.map(part -> escaped(part, quote.charAt(0)))).own(quote);
  }

  private static String escaped(String text, char quote) {
    var out = new StringBuilder();
    text.chars()
        .forEach(c -> {
          switch (c) {
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
              if (c == quote) {
                out.append('\\').append(quote);
              } else if (c < ' ' || c == 0x7F) {
                out.append("\\x%02x".formatted(c));
              } else {
                out.append((char) c);
              }
            }
          }
        });
    return out.toString();
  }

  /** Returns a number with as many digits as tell it apart. */
  public static String decimal(double number) {
    if (Double.isNaN(number)) {
      return "nan";
    }
    if (Double.isInfinite(number)) {
      return number > 0 ? "inf" : "-inf";
    }
    if (number == 0) {
      return 1 / number < 0 ? "-0.0" : "0.0";
    }
    BigDecimal digits = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    int exponent = digits.precision() - digits.scale() - 1;
    if (exponent < LEAST_EXPONENT || exponent >= MOST_DIGITS) {
      String mantissa = digits.movePointLeft(exponent).toPlainString();
      return "%se%s%02d".formatted(mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
    String plain = digits.toPlainString();
    return plain.contains(".") ? plain : plain + ".0";
  }
}
