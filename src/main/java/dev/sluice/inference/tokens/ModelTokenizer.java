package dev.sluice.inference.tokens;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Tokenizer of a model that takes text, for callers that ask for tokens and not for an answer.
 * Immutable; any thread. Takes time in proportion to the text: not on an event loop. Usable after
 * the model is closed.
 */
public interface ModelTokenizer {
  /**
   * Returns the tokens of a text. What it spells of special tokens is text where the model's
   * settings say so.
   *
   * @param around whether those come with it that the model wants around a text
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the text is too long,
   *     or a part of it cannot be said in tokens
   */
  long[] encode(String text, boolean around);

  /**
   * Returns the tokens of a conversation's prompt.
   *
   * @param conversation a JSON object: {@code messages}, and what else the chat template heeds
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the model has no chat
   *     template, or it does not want this
   */
  long[] encodeChat(String conversation);

  /**
   * Returns the text of tokens, special ones as they are spelled.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if the model has not all
   *     of them
   */
  String decode(long[] tokens);

  /** Returns the form in which the model writes tool calls; empty if that is not known. */
  default Optional<ToolCallForm> toolCalls() {
    return Optional.empty();
  }

  /**
   * Returns a token of a text as the vocabulary has it, which may be no text of its own, as {@code
   * Ġthe}.
   */
  String name(long token);

  /** Returns the most tokens that the model takes; empty if that is not known. */
  OptionalInt maxTokens();
}
