package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Decimal;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.List;

/** Values in the places of a text, in the simple forms of both of Python's ways. */
final class TextFormats {
  private TextFormats() {}

  /**
   * Returns a text with arguments in place of {@code %s} and {@code %d}, as the filter {@code
   * format} does.
   *
   * @throws TemplateException if another form is in it, or the arguments are not as many
   */
  static MarkedText percent(MarkedText text, Arguments arguments, Rendering rendering) {
    if (!arguments.named().isEmpty()) {
      throw new TemplateException("the filter 'format' with arguments by name is not supported");
    }
    List<Value> values = arguments.positional();
    var out = new MarkedText.Builder();
    String all = text.toString();
    int from = 0;
    int used = 0;
    for (int at = all.indexOf('%'); at >= 0; at = all.indexOf('%', from)) {
      char form = at + 1 < all.length() ? all.charAt(at + 1) : ' ';
      out.append(text, from, form == '%' ? at + 1 : at);
      if (form != '%') {
        requireThere(used, values);
        out.append(percent(form, values.get(used)));
        used++;
      }
      rendering.bound(out.length());
      from = at + 2;
    }
    if (used < values.size()) {
      throw new TemplateException("the text to format has fewer places than arguments");
    }
    return out.append(text, from, all.length()).build();
  }

  private static MarkedText percent(char form, Value value) {
    return switch (form) {
      case 's' -> PythonText.of(value);
      case 'd' -> MarkedText.own(Long.toString(whole(value)));
      default ->
          throw new TemplateException(
              "the form '%" + form + "' is not supported; wanted %s, %d or %%");
    };
  }

  private static long whole(Value value) {
    return switch (value) {
      case Whole(long number) -> number;
      case Decimal(double number) -> (long) number;
      case Bool(boolean is) -> is ? 1 : 0;
      default -> throw new TemplateException(Operators.kind(value) + " is no number for %d");
    };
  }

  /**
   * Returns a text with arguments in place of {@code {}}, {@code {0}} and {@code {name}}, as the
   * method {@code format} does.
   *
   * @throws TemplateException if another form is in it, or an argument is not there
   */
  static MarkedText braces(MarkedText text, Arguments arguments, Rendering rendering) {
    var out = new MarkedText.Builder();
    String all = text.toString();
    int next = 0;
    for (int at = 0; at < all.length(); ) {
      char c = all.charAt(at);
      if (c != '{' && c != '}') {
        int end = brace(all, at);
        out.append(text, at, end);
        at = end;
      } else if (at + 1 < all.length() && all.charAt(at + 1) == c) {
        out.append(text, at, at + 1);
        at += 2;
      } else {
        int end = all.indexOf('}', at);
        if (c == '}' || end < 0) {
          throw new TemplateException("the text to format has a single '" + c + "'");
        }
        String field = all.substring(at + 1, end);
        out.append(PythonText.of(argument(field.isEmpty() ? "" + next++ : field, arguments)));
        at = end + 1;
      }
      rendering.bound(out.length());
    }
    return out.build();
  }

  /** Returns where the next brace is, or the end. */
  private static int brace(String all, int from) {
    int at = from;
    while (at < all.length() && all.charAt(at) != '{' && all.charAt(at) != '}') {
      at++;
    }
    return at;
  }

  private static Value argument(String field, Arguments arguments) {
    if (field.matches("[0-9]{1,4}")) {
      int index = Integer.parseInt(field);
      requireThere(index, arguments.positional());
      return arguments.positional().get(index);
    }
    if (!field.matches("[A-Za-z_][A-Za-z_0-9]*")) {
      throw new TemplateException(
          "the form '{" + field + "}' is not supported; wanted {}, {0} or {name}");
    }
    Value value = arguments.named().get(field);
    if (value == null) {
      throw new TemplateException("argument '" + field + "' is missing");
    }
    return value;
  }

  private static void requireThere(int index, List<Value> values) {
    if (index >= values.size()) {
      throw new TemplateException("the text to format has more places than arguments");
    }
  }
}
