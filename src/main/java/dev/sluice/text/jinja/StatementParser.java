package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Statement.Flow;
import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.Operators;
import dev.sluice.text.jinja.value.PythonText;
import dev.sluice.text.jinja.value.TemplateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Parses statements: text, outputs and blocks. One thread. */
final class StatementParser {
  private final TokenCursor in;
  private final ExpressionParser expressions;
  private final SetParser sets;
  private int loops;

  private StatementParser(TokenCursor in) {
    this.in = in;
    this.expressions = new ExpressionParser(in);
    this.sets = new SetParser(in, expressions, this);
  }

  /**
   * Parses a whole template.
   *
   * @throws TemplateException if it is wrong, or has something that is not supported
   */
  static Statement template(List<Token> tokens) {
    var in = new TokenCursor(tokens);
    Statement all = new StatementParser(in).until(Set.of());
    if (in.peek().kind() != Kind.END) {
      throw in.error("got " + in.peek().shown() + ", which ends nothing");
    }
    return all;
  }

  /** Parses statements up to a block of one of these names, and passes that name. */
  Statement until(Set<String> ends) {
    in.enter();
    List<Statement> all = new ArrayList<>();
    while (true) {
      Token token = in.next();
      switch (token.kind()) {
        case DATA -> all.add(data(token.text()));
        case OUTPUT_BEGIN -> all.add(output(token));
        case BLOCK_BEGIN -> {
          if (ends.contains(in.peek().text())) {
            in.leave();
            return Statement.all(all);
          }
          all.add(located(block(in.require(Kind.NAME, "a statement")), token));
        }
        default -> {
          if (!ends.isEmpty()) {
            throw in.error("a block has no end: wanted one of " + new TreeSet<>(ends));
          }
          in.leave();
          return Statement.all(all);
        }
      }
    }
  }

  private static Statement data(String text) {
    return (scope, out) -> {
      out.own(text);
      scope.rendering().bound(out.length());
      return Flow.NEXT;
    };
  }

  private Statement output(Token begin) {
    Expression value = expressions.tuple();
    in.require(Kind.OUTPUT_END, "'}}'");
    return located(
        (scope, out) -> {
          out.append(PythonText.of(value.value(scope)));
          scope.rendering().bound(out.length());
          return Flow.NEXT;
        },
        begin);
  }

  /** Returns a statement whose errors name its line. */
  private static Statement located(Statement statement, Token begin) {
    return (scope, out) -> {
      scope.rendering().step();
      try {
        return statement.run(scope, out);
      } catch (TemplateException e) {
        throw e.at(begin.line());
      }
    };
  }

  private Statement block(Token name) {
    return switch (name.text()) {
      case "if" -> condition();
      case "for" -> loop();
      case "set" -> sets.set();
      case "macro" -> sets.macro();
      case "filter" -> sets.filtered();
      case "with" -> sets.with();
      case "generation" -> generation();
      case "break" -> leave(Flow.BREAK, name);
      case "continue" -> leave(Flow.CONTINUE, name);
      default ->
          throw new TemplateException("the statement " + name.shown() + " is not supported")
              .at(name.line());
    };
  }

  private Statement condition() {
    Expression condition = expressions.tuple();
    in.endBlock();
    Statement then = until(Set.of("elif", "else", "endif"));
    Statement otherwise = otherwise();
    return (scope, out) ->
        (Operators.truth(condition.value(scope)) ? then : otherwise).run(scope, out);
  }

  private Statement otherwise() {
    String end = in.name();
    if (end.equals("elif")) {
      in.enter();
      Statement next = condition();
      in.leave();
      return next;
    }
    in.endBlock();
    if (!end.equals("else")) {
      return Statement.all(List.of());
    }
    Statement last = until(Set.of("endif"));
    in.next();
    in.endBlock();
    return last;
  }

  private Statement loop() {
    List<String> targets = sets.targets();
    if (!in.skipName("in")) {
      throw in.unexpected("'in'");
    }
    Expression of = expressions.unconditionalTuple();
    Optional<Expression> filter =
        in.skipName("if") ? Optional.of(expressions.expression()) : Optional.empty();
    if (in.isName("recursive")) {
      throw in.error("a recursive loop is not supported");
    }
    in.endBlock();
    loops++;
    Statement body = until(Set.of("else", "endfor"));
    loops--;
    Statement otherwise = Statement.all(List.of());
    if (in.name().equals("else")) {
      in.endBlock();
      otherwise = until(Set.of("endfor"));
      in.next();
    }
    in.endBlock();
    return new Loop(targets, of, filter, body, otherwise);
  }

  private Statement leave(Flow flow, Token name) {
    if (loops == 0) {
      throw new TemplateException(name.shown() + " is in no loop").at(name.line());
    }
    in.endBlock();
    return (_, _) -> flow;
  }

  /** Parses what marks the answers for training: here it is text as any other. */
  private Statement generation() {
    in.endBlock();
    Statement body = until(Set.of("endgeneration"));
    in.next();
    in.endBlock();
    return (scope, out) -> body.run(scope.inner(), out);
  }

  /** Parses the body of a block that is in no loop around it. */
  Statement body(String end) {
    int around = loops;
    loops = 0;
    Statement body = until(Set.of(end));
    loops = around;
    in.next();
    in.endBlock();
    return body;
  }
}
