package dev.sluice.text.jinja;

import dev.sluice.text.jinja.Token.Kind;
import dev.sluice.text.jinja.value.TemplateException;
import java.util.List;

/** A place among the tokens of a template. One thread. */
final class TokenCursor {
  /** Parts that may be nested in each other: a parser calls itself for each. */
  private static final int MOST_DEPTH = 100;

  private final List<Token> tokens;
  private int at;
  private int depth;

  /**
   * @param tokens END is the last one
   */
  TokenCursor(List<Token> tokens) {
    this.tokens = tokens;
  }

  Token peek() {
    return tokens.get(at);
  }

  /** Returns the token after the next one. */
  Token second() {
    return tokens.get(Math.min(at + 1, tokens.size() - 1));
  }

  Token next() {
    Token token = tokens.get(at);
    at += token.kind() == Kind.END ? 0 : 1;
    return token;
  }

  boolean isName(String name) {
    return peek().is(Kind.NAME, name);
  }

  boolean isOperator(String operator) {
    return peek().is(Kind.OPERATOR, operator);
  }

  /** Passes a token if it is the next one. */
  boolean skip(Kind kind, String text) {
    if (peek().is(kind, text)) {
      next();
      return true;
    }
    return false;
  }

  boolean skipOperator(String operator) {
    return skip(Kind.OPERATOR, operator);
  }

  boolean skipName(String name) {
    return skip(Kind.NAME, name);
  }

  void requireOperator(String operator) {
    if (!skipOperator(operator)) {
      throw unexpected("'" + operator + "'");
    }
  }

  /** Returns the next token, which must be of a kind. */
  Token require(Kind kind, String wanted) {
    if (peek().kind() != kind) {
      throw unexpected(wanted);
    }
    return next();
  }

  String name() {
    return require(Kind.NAME, "a name").text();
  }

  void endBlock() {
    require(Kind.BLOCK_END, "'%}'");
  }

  TemplateException unexpected(String wanted) {
    return error("got " + peek().shown() + "; wanted " + wanted);
  }

  TemplateException error(String what) {
    return new TemplateException(what).at(peek().line());
  }

  /** Goes one part deeper. */
  void enter() {
    if (++depth > MOST_DEPTH) {
      throw error("parts are nested deeper than " + MOST_DEPTH);
    }
  }

  void leave() {
    depth--;
  }
}
