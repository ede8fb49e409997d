package dev.sluice.text.jinja;

import dev.sluice.text.jinja.value.Rendering;
import dev.sluice.text.jinja.value.Value;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Variables of a part of the template, and of those around it. One thread. */
final class Scope {
  private final Map<String, Value> variables = new HashMap<>();
  private final @Nullable Scope outer;
  private final Rendering rendering;

  private Scope(@Nullable Scope outer, Rendering rendering) {
    this.outer = outer;
    this.rendering = rendering;
  }

  /** Returns the scope around all. */
  static Scope of(Rendering rendering) {
    return new Scope(null, rendering);
  }

  /** Returns a scope in this one, whose variables are not seen outside. */
  Scope inner() {
    return new Scope(this, rendering);
  }

  Rendering rendering() {
    return rendering;
  }

  void set(String name, Value value) {
    variables.put(name, value);
  }

  /** Returns the value of a name; undefined if it has none. */
  Value get(String name) {
    for (Scope scope = this; scope != null; scope = scope.outer) {
      Value value = scope.variables.get(name);
      if (value != null) {
        return value;
      }
    }
    return Value.Undefined.name(name);
  }
}
