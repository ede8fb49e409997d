package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Statement.Flow;
import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.PythonText;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses blocks that give names to values, or filter text. One thread. */
final class SetParser {
  /** The name that a block's text has for its filters; no template can say it. */
  private static final String WRITTEN = "";

  private final TokenCursor in;
  private final ExpressionParser expressions;
  private final StatementParser statements;

  SetParser(TokenCursor in, ExpressionParser expressions, StatementParser statements) {
    this.in = in;
    this.expressions = expressions;
    this.statements = statements;
  }

  /** Parses one name, or several with commas between. */
  List<String> targets() {
    boolean parentheses = in.skipOperator("(");
    List<String> targets = new ArrayList<>(List.of(in.name()));
    while (in.skipOperator(",")) {
      targets.add(in.name());
    }
    if (parentheses) {
      in.requireOperator(")");
    }
    return targets;
  }

  /** Parses {@code set}, behind its name. */
  Statement set() {
    List<String> targets = targets();
    if (in.skipOperator(".")) {
      return attribute(targets.getFirst(), in.name());
    }
    if (!in.skipOperator("=")) {
      return block(targets.getFirst());
    }
    Expression value = expressions.tuple();
    in.endBlock();
    return (scope, _) -> {
      Loop.assign(scope, targets, value.value(scope));
      return Flow.NEXT;
    };
  }

  private Statement attribute(String name, String attribute) {
    in.requireOperator("=");
    Expression value = expressions.tuple();
    in.endBlock();
    return (scope, _) -> {
      if (!(scope.get(name) instanceof Value.Namespace(Map<String, Value> attributes))) {
        throw new TemplateException("'" + name + "' is no namespace, whose attributes can be set");
      }
      attributes.put(attribute, value.value(scope));
      return Flow.NEXT;
    };
  }

  /** Parses a text that becomes a value. */
  private Statement block(String name) {
    Expression filtered = filters();
    in.endBlock();
    Expression written = written(filtered, statements.body("endset"));
    return (scope, _) -> {
      scope.set(name, written.value(scope));
      return Flow.NEXT;
    };
  }

  /** Parses {@code filter}, behind its name. */
  Statement filtered() {
    Expression filtered = filters(expressions.filtered(scope -> scope.get(WRITTEN)));
    in.endBlock();
    Expression written = written(filtered, statements.body("endfilter"));
    return (scope, out) -> {
      out.append(PythonText.of(written.value(scope)));
      return Flow.NEXT;
    };
  }

  private Expression filters() {
    return filters(scope -> scope.get(WRITTEN));
  }

  private Expression filters(Expression first) {
    Expression value = first;
    while (in.skipOperator("|")) {
      value = expressions.filtered(value);
    }
    return value;
  }

  private static Expression written(Expression filtered, Statement body) {
    return scope -> {
      Scope inner = scope.inner();
      inner.set(WRITTEN, body.text(scope.inner()));
      return filtered.value(inner);
    };
  }

  /** Parses {@code macro}, behind its name. */
  Statement macro() {
    String name = in.name();
    List<Macro.Parameter> parameters = new ArrayList<>();
    in.requireOperator("(");
    while (!in.skipOperator(")")) {
      String parameter = in.name();
      Expression otherwise =
          in.skipOperator("=") ? expressions.expression() : _ -> Value.Undefined.name(parameter);
      parameters.add(new Macro.Parameter(parameter, otherwise));
      if (!in.isOperator(")")) {
        in.requireOperator(",");
      }
    }
    in.endBlock();
    Statement body = statements.body("endmacro");
    return (scope, _) -> {
      scope.set(name, new Macro(name, parameters, body, scope));
      return Flow.NEXT;
    };
  }

  /** Parses {@code with}, behind its name. */
  Statement with() {
    List<String> names = new ArrayList<>();
    List<Expression> values = new ArrayList<>();
    while (in.peek().kind() != Kind.BLOCK_END) {
      names.add(in.name());
      in.requireOperator("=");
      values.add(expressions.expression());
      in.skipOperator(",");
    }
    in.endBlock();
    Statement body = statements.until(Set.of("endwith"));
    in.next();
    in.endBlock();
    return (scope, out) -> {
      Scope inner = scope.inner();
      for (int i = 0; i < names.size(); i++) {
        inner.set(names.get(i), values.get(i).value(scope));
      }
      return body.run(inner, out);
    };
  }
}
