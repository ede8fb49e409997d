package dev.sluice.text.jinja.value;

import dev.sluice.text.jinja.value.Value.Callable;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.Namespace;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Functions that every template has, some of them by Hugging Face's library. */
public final class Functions {
  private static final Map<String, Value> ALL =
      Map.of(
          "range", (Callable) Functions::range,
          "namespace", (Callable) Functions::namespace,
          "dict", (Callable) Functions::mapping,
          "raise_exception", (Callable) Functions::raise,
          "strftime_now",
              (Callable)
                  (arguments, rendering) ->
                      MarkedText.own(
                          DateFormat.of(arguments.text(0, "format").toString(), rendering.now())));

  private Functions() {}

  /** Returns all of them, by name. */
  public static Map<String, Value> all() {
    return ALL;
  }

  private static Value range(Arguments arguments, Rendering rendering) {
    boolean one = arguments.positional().size() == 1;
    long from = one ? 0 : arguments.whole(0, "start", 0);
    long to = arguments.whole(one ? 0 : 1, "stop", 0);
    long step = arguments.whole(2, "step", 1);
    if (step == 0) {
      throw new TemplateException("a range's step is 0");
    }
    rendering.elements(Math.max(0, (to - from) / step));
    List<Value> all = new ArrayList<>();
    for (long at = from; step > 0 ? at < to : at > to; at += step) {
      all.add(new Whole(at));
    }
    return Items.list(all);
  }

  private static Value namespace(Arguments arguments, Rendering rendering) {
    Map<String, Value> attributes = new LinkedHashMap<>();
    for (Value each : arguments.positional()) {
      if (each instanceof Mapping(Map<Value, Value> entries)) {
        entries.forEach((name, value) -> attributes.put(name.toString(), value));
      }
    }
    attributes.putAll(arguments.named());
    return new Namespace(attributes);
  }

  private static Value mapping(Arguments arguments, Rendering rendering) {
    Map<Value, Value> entries = new LinkedHashMap<>();
    for (Value each : arguments.positional()) {
      if (each instanceof Mapping(Map<Value, Value> more)) {
        entries.putAll(more);
      }
    }
    arguments.named().forEach((name, value) -> entries.put(MarkedText.own(name), value));
    return new Mapping(entries);
  }

  private static Value raise(Arguments arguments, Rendering rendering) {
    throw TemplateException.raised(PythonText.of(arguments.require(0, "message")).toString());
  }
}
