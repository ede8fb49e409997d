package dev.sluice.text.jinja.value;

import java.util.List;
import java.util.Map;

/**
 * Arguments of a call.
 *
 * @param positional in order
 * @param named by name
 */
public record Arguments(List<Value> positional, Map<String, Value> named) {
  static final Arguments NONE = new Arguments(List.of(), Map.of());

  /** Returns an argument, or another value if it was not given. */
  public Value get(int index, String name, Value otherwise) {
    return index < positional.size() ? positional.get(index) : named.getOrDefault(name, otherwise);
  }

  /**
   * Returns an argument.
   *
   * @throws TemplateException if it was not given
   */
  public Value require(int index, String name) {
    Value value = get(index, name, Value.Undefined.name(name));
    if (value instanceof Value.Undefined) {
      throw new TemplateException("argument '" + name + "' is missing");
    }
    return value;
  }

  /**
   * Returns the first argument, which may be undefined.
   *
   * @throws TemplateException if there is none
   */
  Value first() {
    if (positional.isEmpty()) {
      throw new TemplateException("an argument is missing");
    }
    return positional.getFirst();
  }

  /**
   * Returns an argument that is a text.
   *
   * @throws TemplateException if it is none
   */
  public MarkedText text(int index, String name) {
    if (require(index, name) instanceof MarkedText text) {
      return text;
    }
    throw new TemplateException("argument '" + name + "' is no text");
  }

  /** Returns a whole number, or another if it was not given. */
  public int whole(int index, String name, int otherwise) {
    return switch (get(index, name, Value.None.NONE)) {
      case Value.Whole(long value) when value == (int) value -> (int) value;
      case Value.None _ -> otherwise;
      default -> throw new TemplateException("argument '" + name + "' is no whole number");
    };
  }

  /** Returns whether an argument is true; false if it was not given. */
  public boolean flag(int index, String name) {
    return Operators.truth(get(index, name, Value.Bool.FALSE));
  }

  /** Returns these from the second on. */
  public Arguments rest() {
    return new Arguments(positional.subList(1, positional.size()), named);
  }
}
