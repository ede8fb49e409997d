package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import java.util.List;
import java.util.function.Consumer;

/**
 * One of the answers of a call, written whole or piece by piece. One thread at a time; responses
 * are borrowed.
 */
abstract sealed class Choice permits CompletionChoice, ChatChoice {
  private long promptTokens;
  private long completionTokens;

  /** Writes a whole answer. */
  abstract void whole(JsonWriter out, InferenceResponse response);

  /** Returns what writes the pieces that a response of a stream has of it. */
  abstract List<Consumer<JsonWriter>> pieces(InferenceResponse response);

  /** Takes the numbers of tokens that the end of an answer has. */
  final void count(InferenceResponse response) {
    promptTokens = GeneratorOutputs.number(response, GeneratorOutputs.PROMPT_TOKENS);
    completionTokens = GeneratorOutputs.number(response, GeneratorOutputs.COMPLETION_TOKENS);
  }

  /** Returns the tokens of its prompt, when its end is written. */
  final long promptTokens() {
    return promptTokens;
  }

  /** Returns the tokens that the model has made, when its end is written. */
  final long completionTokens() {
    return completionTokens;
  }
}
