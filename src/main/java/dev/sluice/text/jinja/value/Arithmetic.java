package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Decimal;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;

/** Arithmetic of numbers, as in Python, but for whole numbers of more than 64 bits. */
public final class Arithmetic {
  private Arithmetic() {}

  /**
   * Returns the value of an operator.
   *
   * @throws TemplateException if the values are no numbers, or the result is none
   */
  public static Value of(String operator, Value one, Value other) {
    if (!Operators.isNumber(one) || !Operators.isNumber(other)) {
      throw mismatch(operator, one, other);
    }
    try {
      return one instanceof Decimal || other instanceof Decimal || operator.equals("/")
          ? new Decimal(decimal(operator, Operators.number(one), Operators.number(other)))
          : whole(operator, integer(one), integer(other));
    } catch (ArithmeticException e) {
      throw new TemplateException("'" + operator + "': " + e.getMessage());
    }
  }

  private static TemplateException mismatch(String operator, Value one, Value other) {
    for (Value each : new Value[] {one, other}) {
      if (each instanceof Undefined undefined) {
        return undefined.error();
      }
    }
    return new TemplateException(
        "'%s' means nothing between %s and %s"
            .formatted(operator, Operators.kind(one), Operators.kind(other)));
  }

  private static long integer(Value value) {
    return value instanceof Bool(boolean is) ? (is ? 1 : 0) : ((Whole) value).value();
  }

  private static Value whole(String operator, long one, long other) {
    return switch (operator) {
      case "+" -> new Whole(Math.addExact(one, other));
      case "-" -> new Whole(Math.subtractExact(one, other));
      case "*" -> new Whole(Math.multiplyExact(one, other));
      case "//" -> new Whole(Math.floorDiv(one, other));
      case "%" -> new Whole(Math.floorMod(one, other));
      default ->
          other < 0
              ? new Decimal(Math.pow((double) one, (double) other))
              : new Whole(power(one, other));
    };
  }

  private static long power(long base, long exponent) {
    if (base == 0 || base == 1) {
      return exponent == 0 ? 1 : base;
    }
    if (exponent > Long.SIZE) {
      throw new ArithmeticException("long overflow");
    }
    long power = 1;
    for (long i = 0; i < exponent; i++) {
      power = Math.multiplyExact(power, base);
    }
    return power;
  }

  private static double decimal(String operator, double one, double other) {
    if (other == 0 && "//%".contains(operator)) {
      throw new ArithmeticException("/ by zero");
    }
    return switch (operator) {
      case "+" -> one + other;
      case "-" -> one - other;
      case "*" -> one * other;
      case "/" -> one / other;
      case "//" -> Math.floor(one / other);
      case "%" -> one - other * Math.floor(one / other);
      default -> Math.pow(one, other);
    };
  }

  /** Returns a number with the other sign. */
  public static Value negated(Value value) {
    return of("-", new Whole(0), value);
  }
}
