package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.Arguments;
import dev.sluice.text.jinja.value.Filters;
import dev.sluice.text.jinja.value.Members;
import dev.sluice.text.jinja.value.Operators;
import dev.sluice.text.jinja.value.Slices;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Tests;
import dev.sluice.text.jinja.value.Value;
import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Callable;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Undefined;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Parses what comes behind a value: members, calls, filters and tests. One thread. */
final class PostfixParser {
  private static final Set<String> NO_ARGUMENT =
      Set.of("else", "or", "and", "is", "if", "in", "not");

  private final TokenCursor in;
  private final ExpressionParser expressions;

  PostfixParser(TokenCursor in, ExpressionParser expressions) {
    this.in = in;
    this.expressions = expressions;
  }

  /** Parses attributes, subscripts and calls. */
  Expression members(Expression first) {
    Expression value = first;
    while (true) {
      if (in.skipOperator(".")) {
        value = attribute(value);
      } else if (in.skipOperator("[")) {
        value = subscript(value);
      } else if (in.isOperator("(")) {
        value = call(value);
      } else {
        return value;
      }
    }
  }

  private Expression attribute(Expression of) {
    if (in.peek().kind() == Kind.WHOLE) {
      Value index = ExpressionParser.whole(in.next());
      return scope -> Members.item(of.value(scope), index, scope.rendering());
    }
    String name = in.name();
    return scope -> Members.attribute(of.value(scope), name);
  }

  private Expression subscript(Expression of) {
    List<Expression> bounds = new ArrayList<>();
    boolean slice = false;
    Expression bound = _ -> None.NONE;
    while (!in.skipOperator("]")) {
      if (in.skipOperator(":")) {
        slice = true;
        bounds.add(bound);
        bound = _ -> None.NONE;
      } else {
        bound = expressions.tuple();
        if (!in.isOperator(":") && !in.isOperator("]")) {
          throw in.unexpected("']'");
        }
      }
    }
    bounds.add(bound);
    if (!slice) {
      Expression index = bound;
      return scope -> Members.item(of.value(scope), index.value(scope), scope.rendering());
    }
    return slice(of, bounds);
  }

  private Expression slice(Expression of, List<Expression> bounds) {
    if (bounds.size() > 3) {
      throw in.error("a slice has 3 parts at most");
    }
    while (bounds.size() < 3) {
      bounds.add(_ -> None.NONE);
    }
    return scope -> {
      List<Value> values = bounds.stream().map(each -> each.value(scope)).toList();
      return Slices.of(of.value(scope), values, scope.rendering());
    };
  }

  private Expression call(Expression of) {
    int line = in.peek().line();
    Call arguments = arguments();
    return scope -> {
      Value value = of.value(scope);
      if (value instanceof Callable callable) {
        scope.rendering().step();
        return callable.call(arguments.in(scope), scope.rendering());
      }
      throw (value instanceof Undefined undefined
              ? undefined.error()
              : new TemplateException(Operators.kind(value) + " cannot be called"))
          .at(line);
    };
  }

  /**
   * Arguments as they are written.
   *
   * @param positional in order
   * @param named by name
   */
  record Call(List<Expression> positional, Map<String, Expression> named) {
    Arguments in(Scope scope) {
      List<Value> values = new ArrayList<>(positional.size());
      positional.forEach(each -> values.add(each.value(scope)));
      Map<String, Value> byName = new LinkedHashMap<>();
      named.forEach((name, each) -> byName.put(name, each.value(scope)));
      return new Arguments(values, byName);
    }
  }

  /** Parses arguments in parentheses. */
  Call arguments() {
    in.requireOperator("(");
    List<Expression> positional = new ArrayList<>();
    Map<String, Expression> named = new LinkedHashMap<>();
    while (!in.skipOperator(")")) {
      if (in.isOperator("*") || in.isOperator("**")) {
        throw in.error("arguments out of a list are not supported");
      }
      if (in.peek().kind() == Kind.NAME && in.second().is(Kind.OPERATOR, "=")) {
        String name = in.name();
        in.requireOperator("=");
        named.put(name, expressions.expression());
      } else {
        positional.add(expressions.expression());
      }
      if (!in.isOperator(")")) {
        in.requireOperator(",");
      }
    }
    return new Call(positional, named);
  }

  /** Parses filters and tests. */
  Expression filters(Expression first) {
    Expression value = first;
    while (true) {
      if (in.skipOperator("|")) {
        value = filter(value);
      } else if (in.skipName("is")) {
        value = test(value);
      } else if (in.isOperator("(")) {
        value = call(value);
      } else {
        return value;
      }
    }
  }

  /** Parses the name of a filter and its arguments. */
  Expression filter(Expression of) {
    Token name = in.require(Kind.NAME, "a filter");
    Filters.Filter filter = named(name, Filters::named);
    Call arguments = in.isOperator("(") ? arguments() : new Call(List.of(), Map.of());
    return scope -> {
      scope.rendering().step();
      try {
        return filter.of(of.value(scope), arguments.in(scope), scope.rendering());
      } catch (TemplateException e) {
        throw e.at(name.line());
      }
    };
  }

  private static <T> T named(Token name, Function<String, T> all) {
    try {
      return all.apply(name.text());
    } catch (TemplateException e) {
      throw e.at(name.line());
    }
  }

  private Expression test(Expression of) {
    boolean negated = in.skipName("not");
    Token name = in.require(Kind.NAME, "a test");
    Tests.Test test = named(name, Tests::named);
    Call arguments = testArguments();
    return scope -> Bool.of(test.holds(of.value(scope), arguments.in(scope)) != negated);
  }

  /** Parses the arguments of a test; one needs no parentheses. */
  private Call testArguments() {
    if (in.isOperator("(")) {
      return arguments();
    }
    Token next = in.peek();
    boolean argument =
        switch (next.kind()) {
          case NAME -> !NO_ARGUMENT.contains(next.text());
          case STRING, WHOLE, DECIMAL -> true;
          case OPERATOR -> next.text().equals("[") || next.text().equals("{");
          default -> false;
        };
    return new Call(argument ? List.of(members(expressions.primary())) : List.of(), Map.of());
  }
}
