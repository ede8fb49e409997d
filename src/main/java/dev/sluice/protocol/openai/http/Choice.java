package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import java.util.List;
import java.util.function.Consumer;

/**
 * One of the answers of a call, written whole or piece by piece. One thread at a time; responses
 * are borrowed.
 */
sealed interface Choice permits CompletionChoice, ChatChoice {
  /** Writes a whole answer. */
  void whole(JsonWriter out, InferenceResponse response);

  /** Returns what writes the pieces that a response of a stream has of it. */
  List<Consumer<JsonWriter>> pieces(InferenceResponse response);

  /** Returns the tokens of its prompt, when its end is written. */
  long promptTokens();

  /** Returns the tokens that the model has made, when its end is written. */
  long completionTokens();
}
