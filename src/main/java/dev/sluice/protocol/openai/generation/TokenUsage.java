package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceResponse;

/**
 * Numbers of the tokens of an answer.
 *
 * @param prompt tokens of what was asked
 * @param cached those of them that were not computed, since an earlier prompt began with them
 * @param completion tokens of what was answered
 */
public record TokenUsage(long prompt, long cached, long completion) {
  public static final TokenUsage NONE = new TokenUsage(0, 0, 0);

  /** Returns those of a stream's last response, or of a whole one; of other responses none. */
  public static TokenUsage of(InferenceResponse response) {
    return new TokenUsage(
        GeneratorOutputs.number(response, GeneratorOutputs.PROMPT_TOKENS),
        GeneratorOutputs.number(response, GeneratorOutputs.CACHED_TOKENS),
        GeneratorOutputs.number(response, GeneratorOutputs.COMPLETION_TOKENS));
  }

  /** Returns the numbers of both together. */
  public TokenUsage plus(TokenUsage other) {
    return new TokenUsage(
        prompt + other.prompt, cached + other.cached, completion + other.completion);
  }

  /** Returns the same for another answer to a prompt that is counted already. */
  public TokenUsage withoutPrompt() {
    return new TokenUsage(0, 0, completion);
  }

  /** Returns the tokens of both sides. */
  public long total() {
    return prompt + completion;
  }
}
