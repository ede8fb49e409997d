package dev.sluice.text.jinja;

import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.TemplateException;
import java.util.List;

/** A part of a template that writes text. Immutable; any thread. */
@FunctionalInterface
interface Statement {
  /** What comes after it. */
  enum Flow {
    NEXT,
    BREAK,
    CONTINUE
  }

  /**
   * Writes its text.
   *
   * @throws TemplateException if it cannot
   */
  Flow run(Scope scope, MarkedText.Builder out);

  /** Returns several, one after the other. */
  static Statement all(List<Statement> statements) {
    List<Statement> copy = List.copyOf(statements);
    return (scope, out) -> {
      for (Statement statement : copy) {
        Flow flow = statement.run(scope, out);
        if (flow != Flow.NEXT) {
          return flow;
        }
      }
      return Flow.NEXT;
    };
  }

  /** Returns the text that it writes. */
  default MarkedText text(Scope scope) {
    var out = new MarkedText.Builder();
    run(scope, out);
    return out.build();
  }
}
