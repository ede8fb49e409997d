package dev.sluice.protocol.openai.http;

import dev.sluice.inference.ParameterValue;
import dev.sluice.protocol.openai.generation.CallParameters;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.tools.Tools;
import java.util.List;
import java.util.Map;

/**
 * What a request for a completion says.
 *
 * @param model the name of the model
 * @param prompts the texts to go on with
 * @param n answers to each of them
 * @param echo whether an answer begins with its prompt
 * @param stream whether the answer is wanted piece by piece
 * @param usage whether a stream is to end with the numbers of tokens
 * @param said what goes to the model: how tokens are sampled, and when it stops
 * @param tools functions that the model may call
 */
record CompletionRequest(
    String model,
    List<String> prompts,
    int n,
    boolean echo,
    boolean stream,
    boolean usage,
    CallParameters said,
    Tools tools) {
  CompletionRequest {
    prompts = List.copyOf(prompts);
  }

  /**
   * Returns what a body asks for.
   *
   * @param reader has read it
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT if it names no model
   */
  static CompletionRequest of(
      GenerationReader reader, List<String> prompts, boolean echo, Tools tools) {
    return new CompletionRequest(
        reader.model(),
        prompts,
        reader.n(),
        echo,
        reader.stream(),
        reader.usage(),
        reader.said(),
        tools);
  }

  /** Returns what goes to the model, by its names. */
  Map<String, ParameterValue> parameters() {
    return said.values();
  }

  /** Returns the number of answers, to all prompts together. */
  int choices() {
    return prompts.size() * n;
  }

  /** Returns what an answer begins with, counted from 0. */
  String beginning(int choice) {
    return echo ? prompts.get(choice / n) : "";
  }
}
