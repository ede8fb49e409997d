package dev.sluice.text.jinja.value;

import java.util.List;
import java.util.Map;

/** A value of the language. None of them changes but a {@link Namespace}. */
public sealed interface Value
    permits MarkedText,
        Value.Undefined,
        Value.None,
        Value.Bool,
        Value.Whole,
        Value.Decimal,
        Value.Items,
        Value.Mapping,
        Value.Namespace,
        Value.Callable {
  /**
   * What a name has that nothing was given: it is false, and says nothing.
   *
   * @param problem what is said if more is done with it
   */
  record Undefined(String problem) implements Value {
    public static Undefined name(String name) {
      return new Undefined("'" + name + "' is undefined");
    }

    public TemplateException error() {
      return new TemplateException(problem);
    }
  }

  /** The one value of Python's {@code None}. */
  enum None implements Value {
    NONE
  }

  record Bool(boolean value) implements Value {
    public static Bool of(boolean value) {
      return value ? TRUE : FALSE;
    }

    public static final Bool TRUE = new Bool(true);
    public static final Bool FALSE = new Bool(false);
  }

  record Whole(long value) implements Value {}

  record Decimal(double value) implements Value {}

  /**
   * A list or a tuple.
   *
   * @param tuple which of them
   */
  record Items(List<Value> items, boolean tuple) implements Value {
    public static Items list(List<Value> items) {
      return new Items(items, false);
    }

    public static Items tuple(Value... items) {
      return new Items(List.of(items), true);
    }
  }

  /** A dict, in the order in which it was written. */
  record Mapping(Map<Value, Value> entries) implements Value {}

  /** What a template may set attributes of, and the state of a loop. */
  record Namespace(Map<String, Value> attributes) implements Value {}

  /** What can be called: a function, a macro, the method of a value. */
  non-sealed interface Callable extends Value {
    /**
     * @throws TemplateException if the arguments are wrong
     */
    Value call(Arguments arguments, Rendering rendering);
  }
}
