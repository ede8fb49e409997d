package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;

/** What a template can ask of a value by {@code is}. */
public final class Tests {
  /** A test. */
  @FunctionalInterface
  public interface Test {
    /**
     * Returns whether it holds.
     *
     * @throws TemplateException if the arguments are wrong
     */
    boolean holds(Value value, Arguments arguments);
  }

  private Tests() {}

  /**
   * Returns a test.
   *
   * @throws TemplateException if there is none of that name
   */
  public static Test named(String name) {
    return switch (name) {
      case "defined" -> (value, _) -> !(value instanceof Undefined);
      case "undefined" -> (value, _) -> value instanceof Undefined;
      case "none" -> (value, _) -> value instanceof None;
      case "string" -> (value, _) -> value instanceof MarkedText;
      case "number" -> (value, _) -> Operators.isNumber(value);
      case "integer" -> (value, _) -> value instanceof Whole;
      case "float" -> (value, _) -> value instanceof Value.Decimal;
      case "boolean" -> (value, _) -> value instanceof Bool;
      case "true" -> (value, _) -> value.equals(Bool.TRUE);
      case "false" -> (value, _) -> value.equals(Bool.FALSE);
      case "mapping" -> (value, _) -> value instanceof Mapping;
      case "sequence", "iterable" -> (value, _) -> hasElements(value);
      case "callable" -> (value, _) -> value instanceof Value.Callable;
      default -> compared(name);
    };
  }

  private static boolean hasElements(Value value) {
    return value instanceof Items
        || value instanceof Mapping
        || value instanceof MarkedText
        || value instanceof Undefined;
  }

  private static Test compared(String name) {
    return switch (name) {
      case "equalto", "eq" -> (value, other) -> Operators.equal(value, other.first());
      case "sameas" -> (value, other) -> same(value, other.first());
      case "ne" -> (value, other) -> !Operators.equal(value, other.first());
      case "lt", "lessthan" -> (value, other) -> order(value, other) < 0;
      case "le" -> (value, other) -> order(value, other) <= 0;
      case "gt", "greaterthan" -> (value, other) -> order(value, other) > 0;
      case "ge" -> (value, other) -> order(value, other) >= 0;
      case "in" -> (value, other) -> Operators.contains(other.first(), value);
      case "odd" -> (value, _) -> remainder(value, 2) == 1;
      case "even" -> (value, _) -> remainder(value, 2) == 0;
      case "divisibleby" -> (value, by) -> remainder(value, by.whole(0, "num", 1)) == 0;
      case "upper" ->
          (value, _) -> value instanceof MarkedText text && TextMethods.isCased(text, true);
      case "lower" ->
          (value, _) -> value instanceof MarkedText text && TextMethods.isCased(text, false);
      default -> throw new TemplateException("the test '" + name + "' is not supported");
    };
  }

  private static boolean same(Value value, Value other) {
    return value.getClass() == other.getClass() && Operators.equal(value, other);
  }

  private static int order(Value value, Arguments other) {
    return Operators.compare(value, other.first());
  }

  private static double remainder(Value value, long by) {
    return Operators.number(Arithmetic.of("%", value, new Whole(by)));
  }
}
