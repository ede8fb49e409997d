package dev.sluice.text.jinja;

import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.Operators;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;
import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Undefined;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A {@code for} statement.
 *
 * @param targets names of an element, or of its parts
 * @param of what has the elements
 * @param filter whether it is for an element; empty: it is for all
 * @param body run for each
 * @param otherwise run if there was none
 */
record Loop(
    List<String> targets,
    Expression of,
    Optional<Expression> filter,
    Statement body,
    Statement otherwise)
    implements Statement {
  @Override
  public Flow run(Scope scope, MarkedText.Builder out) {
    List<Value> all = elements(scope);
    if (all.isEmpty()) {
      return otherwise.run(scope.inner(), out);
    }
    for (int i = 0; i < all.size(); i++) {
      scope.rendering().step();
      Scope inner = scope.inner();
      assign(inner, targets, all.get(i));
      inner.set("loop", state(all, i));
      if (body.run(inner, out) == Flow.BREAK) {
        break;
      }
    }
    return Flow.NEXT;
  }

  private List<Value> elements(Scope scope) {
    List<Value> all = Operators.elements(of.value(scope), scope.rendering());
    if (filter.isEmpty()) {
      return all;
    }
    List<Value> wanted = new ArrayList<>();
    for (Value each : all) {
      scope.rendering().step();
      Scope inner = scope.inner();
      assign(inner, targets, each);
      if (Operators.truth(filter.get().value(inner))) {
        wanted.add(each);
      }
    }
    return wanted;
  }

  /** Gives a value to a name, or its parts to several. */
  static void assign(Scope scope, List<String> targets, Value value) {
    if (targets.size() == 1) {
      scope.set(targets.getFirst(), value);
      return;
    }
    List<Value> parts = Operators.elements(value, scope.rendering());
    if (parts.size() != targets.size()) {
      throw new TemplateException("%d values for %d names".formatted(parts.size(), targets.size()));
    }
    for (int i = 0; i < parts.size(); i++) {
      scope.set(targets.get(i), parts.get(i));
    }
  }

  private static Value state(List<Value> all, int at) {
    int size = all.size();
    Map<String, Value> state = new HashMap<>();
    state.put("index", new Whole(at + 1L));
    state.put("index0", new Whole(at));
    state.put("revindex", new Whole(size - at));
    state.put("revindex0", new Whole(size - at - 1L));
    state.put("first", Bool.of(at == 0));
    state.put("last", Bool.of(at == size - 1));
    state.put("length", new Whole(size));
    state.put("depth", new Whole(1));
    state.put("depth0", new Whole(0));
    state.put("previtem", at > 0 ? all.get(at - 1) : new Undefined("there is no previous item"));
    state.put("nextitem", at < size - 1 ? all.get(at + 1) : new Undefined("there is no next item"));
    state.put("cycle", (Value.Callable) (arguments, _) -> cycled(arguments.positional(), at));
    return new Value.Namespace(state);
  }

  private static Value cycled(List<Value> values, int at) {
    if (values.isEmpty()) {
      throw new TemplateException("there is nothing to cycle through");
    }
    return values.get(at % values.size());
  }
}
