package dev.sluice.text.jinja;

import dev.sluice.text.jinja.value.Arguments;
import dev.sluice.text.jinja.value.Rendering;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A macro: a part of the template that is called with arguments, and returns the text that it
 * writes.
 *
 * @param defined where
 */
record Macro(String name, List<Parameter> parameters, Statement body, Scope defined)
    implements Value.Callable {
  /**
   * A parameter.
   *
   * @param otherwise its value where a call has none
   */
  record Parameter(String name, Expression otherwise) {}

  @Override
  public Value call(Arguments arguments, Rendering rendering) {
    Set<String> names = parameters.stream().map(Parameter::name).collect(Collectors.toSet());
    if (arguments.positional().size() > names.size()
        || !names.containsAll(arguments.named().keySet())) {
      throw new TemplateException("the macro '" + name + "' has no such argument");
    }
    Scope scope = defined.inner();
    for (int i = 0; i < parameters.size(); i++) {
      Parameter parameter = parameters.get(i);
      boolean given =
          i < arguments.positional().size() || arguments.named().containsKey(parameter.name());
      scope.set(
          parameter.name(),
          given
              ? arguments.get(i, parameter.name(), Value.Undefined.name(parameter.name()))
              : parameter.otherwise().value(scope));
    }
    return rendering.deeper(() -> body.text(scope));
  }
}
