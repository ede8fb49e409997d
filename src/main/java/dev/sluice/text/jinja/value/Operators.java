package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Decimal;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.List;

/** What operators do with values, as in Python. */
public final class Operators {
  private Operators() {}

  /** Returns whether a value counts as true. */
  public static boolean truth(Value value) {
    return switch (value) {
      case Bool(boolean is) -> is;
      case Undefined _, None _ -> false;
      case Whole(long number) -> number != 0;
      case Decimal(double number) -> number != 0;
      case MarkedText text -> !text.isEmpty();
      case Items items -> !items.items().isEmpty();
      case Mapping mapping -> !mapping.entries().isEmpty();
      case Value.Namespace _, Value.Callable _ -> true;
    };
  }

  /** Returns what kind of value it is, for errors. */
  public static String kind(Value value) {
    return switch (value) {
      case Undefined _ -> "an undefined value";
      case None _ -> "none";
      case Bool _ -> "a bool";
      case Whole _, Decimal _ -> "a number";
      case MarkedText _ -> "a text";
      case Items _ -> "a list";
      case Mapping _ -> "a mapping";
      case Value.Namespace _ -> "a namespace";
      case Value.Callable _ -> "a function";
    };
  }

  /**
   * Returns the elements of a value: those of a list, the names of a mapping, the characters of a
   * text; none of an undefined one.
   */
  public static List<Value> elements(Value value, Rendering rendering) {
    return switch (value) {
      case Items items -> items.items();
      case Mapping mapping -> List.copyOf(mapping.entries().keySet());
      case MarkedText text -> characters(text, rendering);
      case Undefined _ -> List.of();
      default -> throw new TemplateException(kind(value) + " has no elements");
    };
  }

  private static List<Value> characters(MarkedText text, Rendering rendering) {
    rendering.elements(text.length());
    List<Value> characters = new ArrayList<>(text.length());
    String all = text.toString();
    for (int from = 0; from < all.length(); ) {
      int to = all.offsetByCodePoints(from, 1);
      characters.add(text.slice(from, to));
      from = to;
    }
    return characters;
  }

  /** Returns whether two values are equal: numbers by value, others by what they hold. */
  public static boolean equal(Value one, Value other) {
    if (isNumber(one) && isNumber(other)) {
      return number(one) == number(other);
    }
    return switch (one) {
      case Items(List<Value> items, boolean tuple) ->
          other instanceof Items list && list.tuple() == tuple && equal(items, list.items());
      case Mapping mapping -> other instanceof Mapping another && equal(mapping, another);
      case Undefined _ -> other instanceof Undefined;
      default -> one.equals(other);
    };
  }

  private static boolean equal(List<Value> one, List<Value> other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (!equal(one.get(i), other.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean equal(Mapping one, Mapping other) {
    return one.entries().size() == other.entries().size()
        && one.entries().entrySet().stream()
            .allMatch(entry -> {
              Value found = other.entries().get(entry.getKey());
              return found != null && equal(entry.getValue(), found);
            });
  }

  /** Returns whether one value is in another. */
  public static boolean contains(Value container, Value element) {
    return switch (container) {
      case MarkedText text when element instanceof MarkedText part ->
          text.toString().contains(part.toString());
      case Items items -> items.items().stream().anyMatch(item -> equal(item, element));
      case Mapping mapping -> mapping.entries().containsKey(element);
      case Undefined _ -> false;
      default -> throw new TemplateException(kind(element) + " cannot be in " + kind(container));
    };
  }

  /** Compares numbers, texts or lists. */
  public static int compare(Value one, Value other) {
    if (isNumber(one) && isNumber(other)) {
      return Double.compare(number(one), number(other));
    }
    if (one instanceof MarkedText text && other instanceof MarkedText another) {
      return text.toString().compareTo(another.toString());
    }
    if (one instanceof Items list && other instanceof Items another) {
      for (int i = 0; i < Math.min(list.items().size(), another.items().size()); i++) {
        int order = compare(list.items().get(i), another.items().get(i));
        if (order != 0) {
          return order;
        }
      }
      return Integer.compare(list.items().size(), another.items().size());
    }
    throw new TemplateException(kind(one) + " is neither more nor less than " + kind(other));
  }

  public static boolean isNumber(Value value) {
    return value instanceof Whole || value instanceof Decimal || value instanceof Bool;
  }

  /** Returns a number; a bool is 0 or 1. */
  public static double number(Value value) {
    return switch (value) {
      case Decimal(double number) -> number;
      case Whole(long number) -> number;
      case Bool(boolean is) -> is ? 1 : 0;
      case Undefined undefined -> throw undefined.error();
      default -> throw new TemplateException(kind(value) + " is no number");
    };
  }

  /** Returns one and another: a sum, or both texts, or both lists. */
  public static Value plus(Value one, Value other, Rendering rendering) {
    if (one instanceof MarkedText text && other instanceof MarkedText another) {
      rendering.text((long) text.length() + another.length());
      return text.plus(another);
    }
    if (one instanceof Items list
        && other instanceof Items another
        && list.tuple() == another.tuple()) {
      rendering.elements((long) list.items().size() + another.items().size());
      List<Value> both = new ArrayList<>(list.items());
      both.addAll(another.items());
      return new Items(both, list.tuple());
    }
    return Arithmetic.of("+", one, other);
  }

  /** Returns the product of numbers, or a text or a list several times. */
  public static Value times(Value one, Value other, Rendering rendering) {
    if (one instanceof Whole && (other instanceof MarkedText || other instanceof Items)) {
      return times(other, one, rendering);
    }
    if (one instanceof MarkedText text && other instanceof Whole(long times)) {
      rendering.text(
          Math.multiplyHigh(text.length(), times) > 0
              ? Long.MAX_VALUE
              : text.length() * Math.max(0, times));
      var out = new MarkedText.Builder();
      for (long i = 0; i < times; i++) {
        out.append(text);
      }
      return out.build();
    }
    if (one instanceof Items list && other instanceof Whole(long times)) {
      rendering.elements(
          Math.multiplyHigh(list.items().size(), times) > 0
              ? Long.MAX_VALUE
              : list.items().size() * Math.max(0, times));
      List<Value> all = new ArrayList<>();
      for (long i = 0; i < times; i++) {
        all.addAll(list.items());
      }
      return new Items(all, list.tuple());
    }
    return Arithmetic.of("*", one, other);
  }
}
