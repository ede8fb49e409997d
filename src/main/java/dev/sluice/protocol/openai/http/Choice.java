package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.TokenUsage;
import java.util.List;
import java.util.function.Consumer;

/**
 * One of the answers of a call, written whole or piece by piece. One thread at a time; responses
 * are borrowed.
 */
abstract sealed class Choice permits CompletionChoice, ChatChoice {
  private TokenUsage usage = TokenUsage.NONE;

  /** Writes a whole answer. */
  abstract void whole(JsonWriter out, InferenceResponse response);

  /** Returns what writes the pieces that a response of a stream has of it. */
  abstract List<Consumer<JsonWriter>> pieces(InferenceResponse response);

  /** Takes the numbers of tokens that the end of an answer has. */
  final void count(InferenceResponse response) {
    usage = TokenUsage.of(response);
  }

  /** Returns the numbers of its tokens, when its end is written. */
  final TokenUsage usage() {
    return usage;
  }
}
