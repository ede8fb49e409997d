package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.Arithmetic;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.Operators;
import dev.sluice.text.jinja.value.PythonText;
import dev.sluice.text.jinja.value.TemplateException;
import dev.sluice.text.jinja.value.Value;
import dev.sluice.text.jinja.value.Value.Bool;
import dev.sluice.text.jinja.value.Value.Decimal;
import dev.sluice.text.jinja.value.Value.Items;
import dev.sluice.text.jinja.value.Value.Mapping;
import dev.sluice.text.jinja.value.Value.None;
import dev.sluice.text.jinja.value.Value.Whole;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Parses expressions, those that bind least first. One thread. */
final class ExpressionParser {
  private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");

  private final TokenCursor in;
  private final PostfixParser postfix;

  ExpressionParser(TokenCursor in) {
    this.in = in;
    this.postfix = new PostfixParser(in, this);
  }

  /** Parses one expression, or several with commas between: a tuple. */
  Expression tuple() {
    return tuple(this::expression);
  }

  /** Parses the same without a condition behind it. */
  Expression unconditionalTuple() {
    return tuple(this::unconditional);
  }

  private Expression tuple(Supplier<Expression> part) {
    Expression first = part.get();
    if (!in.isOperator(",")) {
      return first;
    }
    List<Expression> all = new ArrayList<>(List.of(first));
    while (in.skipOperator(",") && !endsTuple()) {
      all.add(part.get());
    }
    return items(all, true);
  }

  /** Parses the name of a filter and its arguments. */
  Expression filtered(Expression of) {
    return postfix.filter(of);
  }

  private boolean endsTuple() {
    Kind kind = in.peek().kind();
    return kind == Kind.BLOCK_END || kind == Kind.OUTPUT_END || in.isOperator(")");
  }

  private static Expression items(List<Expression> all, boolean tuple) {
    List<Expression> copy = List.copyOf(all);
    return scope -> {
      List<Value> values = new ArrayList<>(copy.size());
      copy.forEach(each -> values.add(each.value(scope)));
      return new Items(values, tuple);
    };
  }

  /** Parses an expression, a condition behind it too. */
  Expression expression() {
    return nested(this::conditional);
  }

  private Expression nested(Supplier<Expression> part) {
    in.enter();
    Expression parsed = part.get();
    in.leave();
    return parsed;
  }

  private Expression conditional() {
    Expression value = unconditional();
    while (in.skipName("if")) {
      Expression then = value;
      Expression condition = unconditional();
      Expression otherwise =
          in.skipName("else")
              ? expression()
              : _ -> new Value.Undefined("the condition is false, and there is no 'else'");
      value =
          scope ->
              Operators.truth(condition.value(scope)) ? then.value(scope) : otherwise.value(scope);
    }
    return value;
  }

  private Expression unconditional() {
    Expression left = and();
    while (in.skipName("or")) {
      Expression one = left;
      Expression other = and();
      left =
          scope -> {
            Value value = one.value(scope);
            return Operators.truth(value) ? value : other.value(scope);
          };
    }
    return left;
  }

  private Expression and() {
    Expression left = not();
    while (in.skipName("and")) {
      Expression one = left;
      Expression other = not();
      left =
          scope -> {
            Value value = one.value(scope);
            return Operators.truth(value) ? other.value(scope) : value;
          };
    }
    return left;
  }

  private Expression not() {
    if (!in.skipName("not")) {
      return comparison();
    }
    Expression value = nested(this::not);
    return scope -> Bool.of(!Operators.truth(value.value(scope)));
  }

  private interface Comparison {
    boolean holds(Value one, Value other);
  }

  /** Parses comparisons, of which {@code a < b < c} are two. */
  private Expression comparison() {
    Expression first = sum();
    List<Comparison> comparisons = new ArrayList<>();
    List<Expression> others = new ArrayList<>();
    for (Comparison next = comparing(); next != null; next = comparing()) {
      comparisons.add(next);
      others.add(sum());
    }
    return comparisons.isEmpty()
        ? first
        : scope -> {
          scope.rendering().step();
          Value one = first.value(scope);
          for (int i = 0; i < others.size(); i++) {
            Value other = others.get(i).value(scope);
            if (!comparisons.get(i).holds(one, other)) {
              return Bool.FALSE;
            }
            one = other;
          }
          return Bool.TRUE;
        };
  }

  /** Passes an operator that compares; null if the next token is none. */
  private @Nullable Comparison comparing() {
    if (in.skipName("in")) {
      return (one, other) -> Operators.contains(other, one);
    }
    if (in.isName("not") && in.second().is(Kind.NAME, "in")) {
      in.next();
      in.next();
      return (one, other) -> !Operators.contains(other, one);
    }
    if (in.peek().kind() != Kind.OPERATOR || !COMPARISONS.contains(in.peek().text())) {
      return null;
    }
    return switch (in.next().text()) {
      case "==" -> Operators::equal;
      case "!=" -> (one, other) -> !Operators.equal(one, other);
      case "<" -> (one, other) -> Operators.compare(one, other) < 0;
      case "<=" -> (one, other) -> Operators.compare(one, other) <= 0;
      case ">" -> (one, other) -> Operators.compare(one, other) > 0;
      default -> (one, other) -> Operators.compare(one, other) >= 0;
    };
  }

  private Expression sum() {
    Expression left = joined();
    while (in.isOperator("+") || in.isOperator("-")) {
      boolean plus = in.next().text().equals("+");
      Expression one = left;
      Expression other = joined();
      left =
          plus
              ? scope -> Operators.plus(one.value(scope), other.value(scope), scope.rendering())
              : scope -> Arithmetic.of("-", one.value(scope), other.value(scope));
    }
    return left;
  }

  private Expression joined() {
    Expression left = product();
    while (in.skipOperator("~")) {
      Expression one = left;
      Expression other = product();
      left =
          scope -> {
            MarkedText text = PythonText.of(one.value(scope));
            return Operators.plus(text, PythonText.of(other.value(scope)), scope.rendering());
          };
    }
    return left;
  }

  private Expression product() {
    Expression left = power();
    while (in.peek().kind() == Kind.OPERATOR
        && Set.of("*", "/", "//", "%").contains(in.peek().text())) {
      String operator = in.next().text();
      Expression one = left;
      Expression other = power();
      left =
          operator.equals("*")
              ? scope -> Operators.times(one.value(scope), other.value(scope), scope.rendering())
              : scope -> Arithmetic.of(operator, one.value(scope), other.value(scope));
    }
    return left;
  }

  private Expression power() {
    Expression left = unary(true);
    while (in.skipOperator("**")) {
      Expression one = left;
      Expression other = unary(true);
      left = scope -> Arithmetic.of("**", one.value(scope), other.value(scope));
    }
    return left;
  }

  private Expression unary(boolean filtered) {
    Expression value;
    if (in.skipOperator("-")) {
      Expression positive = nested(() -> unary(false));
      value = scope -> Arithmetic.negated(positive.value(scope));
    } else if (in.skipOperator("+")) {
      value = nested(() -> unary(false));
    } else {
      value = postfix.members(primary());
    }
    return filtered ? postfix.filters(value) : value;
  }

  /** Parses a literal, a name or what is in parentheses. */
  Expression primary() {
    Token token = in.next();
    return switch (token.kind()) {
      case NAME -> name(token.text());
      case STRING -> text(token.text());
      case WHOLE -> constant(whole(token));
      case DECIMAL -> constant(new Decimal(Double.parseDouble(token.text().replace("_", ""))));
      default -> enclosed(token);
    };
  }

  private Expression enclosed(Token token) {
    return switch (token.text()) {
      case "(" -> parentheses();
      case "[" -> items(list("]"), false);
      case "{" -> mapping();
      default ->
          throw new TemplateException("got " + token.shown() + "; wanted a value").at(token.line());
    };
  }

  private static Expression constant(Value value) {
    return _ -> value;
  }

  /** Returns the number that a token says. */
  static Value whole(Token token) {
    try {
      return new Whole(Long.parseLong(token.text().replace("_", "")));
    } catch (NumberFormatException _) {
      throw new TemplateException(token.shown() + " has more than 64 bits").at(token.line());
    }
  }

  private static Expression name(String name) {
    return switch (name) {
      case "true", "True" -> constant(Bool.TRUE);
      case "false", "False" -> constant(Bool.FALSE);
      case "none", "None" -> constant(None.NONE);
      default -> scope -> scope.get(name);
    };
  }

  private Expression text(String first) {
    var text = new StringBuilder(first);
    while (in.peek().kind() == Kind.STRING) {
      text.append(in.next().text());
    }
    return constant(MarkedText.own(text.toString()));
  }

  private Expression parentheses() {
    if (in.skipOperator(")")) {
      return items(List.of(), true);
    }
    Expression value = tuple();
    in.requireOperator(")");
    return value;
  }

  private List<Expression> list(String end) {
    List<Expression> all = new ArrayList<>();
    while (!in.skipOperator(end)) {
      all.add(expression());
      if (!in.isOperator(end)) {
        in.requireOperator(",");
      }
    }
    return all;
  }

  private Expression mapping() {
    List<Expression> keys = new ArrayList<>();
    List<Expression> values = new ArrayList<>();
    while (!in.skipOperator("}")) {
      keys.add(expression());
      in.requireOperator(":");
      values.add(expression());
      if (!in.isOperator("}")) {
        in.requireOperator(",");
      }
    }
    return scope -> {
      Map<Value, Value> entries = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        entries.put(keys.get(i).value(scope), values.get(i).value(scope));
      }
      return new Mapping(entries);
    };
  }
}
