package dev.sluice.text;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import java.util.Optional;

/** Encodes text as tokens, and decodes them. Immutable; any thread. */
public interface TokenCodec {
  /**
   * Returns the tokens of a prompt.
   *
   * @param around whether those come with it that the model wants around a prompt
   * @throws InferenceException with INVALID_ARGUMENT if a part of it cannot be said in tokens
   */
  long[] encode(String text, boolean around);

  /** Returns the tokens of a prompt, with those that the model wants around it. */
  default long[] encode(String text) {
    return encode(text, true);
  }

  /**
   * Returns the tokens of a conversation's prompt. Special tokens that a message spells are text.
   *
   * @param conversation as {@link ChatPrompts#prompt} wants it
   * @param longest characters that the prompt may have
   * @throws InferenceException with INVALID_ARGUMENT if there is no chat template, or it does not
   *     want this
   */
  default long[] encodeChat(String conversation, int longest) {
    throw InferenceException.invalid("the model has no chat template");
  }

  /** Returns the text of tokens. Those that have none, special ones among them, say nothing. */
  String decode(long[] tokens);

  /** Returns the text of tokens, special ones as they are spelled. */
  String spell(long[] tokens);

  /**
   * Returns the form in which the model writes tool calls, as its chat template shows it; empty if
   * that is not known.
   */
  default Optional<ToolCallForm> toolCalls() {
    return Optional.empty();
  }

  /** Returns the text of tokens, with special ones as they are spelled if they mark tool calls. */
  default String decodeToolCalls(long[] tokens) {
    return decode(tokens);
  }

  /** Returns a token as the vocabulary has it, which may be no text of its own, as {@code Ġthe}. */
  String name(long token);

  /** Returns how many tokens there are: each is a number below that. */
  long size();

  /** Returns the bytes of each token; empty if only {@link #decode} knows. */
  default Optional<TokenBytes> bytes() {
    return Optional.empty();
  }
}
