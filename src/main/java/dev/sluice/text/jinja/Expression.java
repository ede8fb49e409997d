package dev.sluice.text.jinja;

import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;

/** A part of a template that has a value. Immutable; any thread. */
@FunctionalInterface
interface Expression {
  /**
   * @throws TemplateException if it has none in this scope
   */
  Value value(Scope scope);
}
