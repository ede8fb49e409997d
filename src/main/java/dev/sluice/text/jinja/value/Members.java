package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Callable;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.Undefined;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Attributes, methods and elements of values. What could change a value is not there. */
public final class Members {
  private Members() {}

  /** Returns what {@code value.name} is: a method, or else the element of a mapping. */
  public static Value attribute(Value value, String name) {
    return switch (value) {
      case MarkedText text -> orNothing(TextMethods.of(text, name), value, name);
      case Mapping mapping -> {
        Value method = method(mapping, name);
        yield method instanceof Undefined ? entry(mapping, MarkedText.own(name)) : method;
      }
      case Items items -> method(items, name);
      case Value.Namespace(Map<String, Value> attributes) ->
          attributes.getOrDefault(name, nothing(value, name));
      case Undefined undefined -> throw undefined.error();
      default -> nothing(value, name);
    };
  }

  /** Returns what a value itself has of a name, be there an element of that name or not. */
  static Value own(Value value, String name) {
    return value instanceof Mapping mapping ? method(mapping, name) : attribute(value, name);
  }

  private static Value orNothing(Value found, Value value, String name) {
    return found instanceof Undefined ? nothing(value, name) : found;
  }

  private static Undefined nothing(Value value, String name) {
    return new Undefined(Operators.kind(value) + " has no attribute '" + name + "'");
  }

  private static Value entry(Mapping mapping, Value key) {
    Value found = mapping.entries().get(key);
    return found != null ? found : nothing(mapping, PythonText.of(key).toString());
  }

  /** Returns what {@code value[key]} is. */
  public static Value item(Value value, Value key, Rendering rendering) {
    rendering.step();
    return switch (value) {
      case Mapping mapping -> {
        Value found = mapping.entries().get(key);
        yield found == null && key instanceof MarkedText name
            ? attribute(mapping, name.toString())
            : found == null ? entry(mapping, key) : found;
      }
      case Undefined undefined -> throw undefined.error();
      case Items _, MarkedText _ when key instanceof Value.Whole(long index) ->
          Slices.element(value, index, rendering);
      default ->
          key instanceof MarkedText name
              ? attribute(value, name.toString())
              : nothing(value, PythonText.of(key).toString());
    };
  }

  private static Value method(Mapping mapping, String name) {
    Map<Value, Value> entries = mapping.entries();
    return switch (name) {
      case "items" -> (Callable) (_, rendering) -> items(mapping, rendering);
      case "keys" -> (Callable) (_, _) -> Items.list(List.copyOf(entries.keySet()));
      case "values" -> (Callable) (_, _) -> Items.list(List.copyOf(entries.values()));
      case "get" ->
          (Callable)
              (arguments, _) -> {
                Value found = entries.get(arguments.require(0, "key"));
                return found != null ? found : arguments.get(1, "default", Value.None.NONE);
              };
      default -> nothing(mapping, name);
    };
  }

  /** Returns the entries of a mapping, each a tuple. */
  static Items items(Mapping mapping, Rendering rendering) {
    rendering.elements(mapping.entries().size());
    List<Value> items = new ArrayList<>();
    mapping.entries().forEach((key, value) -> items.add(Items.tuple(key, value)));
    return Items.list(items);
  }

  private static Value method(Items items, String name) {
    return switch (name) {
      case "index" ->
          (Callable)
              (arguments, _) -> {
                for (int i = 0; i < items.items().size(); i++) {
                  if (Operators.equal(items.items().get(i), arguments.require(0, "value"))) {
                    return new Value.Whole(i);
                  }
                }
                throw new TemplateException("the value is not in the list");
              };
      case "count" ->
          (Callable)
              (arguments, _) ->
                  new Value.Whole(
                      items.items().stream()
                          .filter(each -> Operators.equal(each, arguments.require(0, "value")))
                          .count());
      default -> nothing(items, name);
    };
  }
}
