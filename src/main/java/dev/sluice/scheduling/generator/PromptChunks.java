package dev.sluice.scheduling.generator;

import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * Chunked prefill: which tokens of a stream's prompt the next step runs. Chunks follow one another
 * as decode steps do: what one leaves in the KV cache is what the next one begins with. A prompt
 * that cannot be cut is one chunk. One thread at a time; owns nothing.
 */
final class PromptChunks {
  private final PromptState prompt;
  private final int chunk;
  private int begin;

  /**
   * @param chunk tokens that run at once; 0: all
   */
  PromptChunks(PromptState prompt, int chunk) {
    this.prompt = prompt;
    this.chunk = chunk > 0 && canBeCut(prompt) ? chunk : prompt.promptLength();
  }

  /** Returns whether a request gives nothing but what can be cut like its prompt. */
  private static boolean canBeCut(PromptState prompt) {
    return prompt.rows() == 1
        && prompt.loop().inputs().stream().allMatch(input -> canBeCut(prompt, input));
  }

  private static boolean canBeCut(PromptState prompt, GenerationInput input) {
    NamedTensor given = prompt.request().input(input.name());
    if (given == null) {
      return true;
    }
    Shape shape = given.tensor().shape();
    Shape row = Shape.of(1, prompt.promptLength());
    return switch (input.origin()) {
      case CHOICE, POSITION -> shape.equals(row);
      case MASK -> shape.rank() == 2 && shape.dim(1) >= prompt.promptLength();
      case FEEDBACK -> true;
      case CALLER -> false;
    };
  }

  /** Returns whether the prompt is more than one chunk. */
  boolean isCut() {
    return prompt.promptLength() > chunk;
  }

  /** Returns whether the step to come ends the prompt. */
  boolean isLast() {
    return end() == prompt.promptLength();
  }

  /** Returns how many tokens are in front of the step to come. */
  int computed() {
    return begin;
  }

  /** Goes on to the next chunk. */
  void advance() {
    begin = end();
  }

  /** Lets the next chunk begin with a token of the prompt. */
  void goTo(int token) {
    begin = token;
  }

  private int end() {
    return Math.min(prompt.promptLength(), begin + chunk);
  }

  /** Returns how many tokens the step to come runs. */
  int length() {
    return end() - begin;
  }

  /** Returns how many tokens of all rows the step to come runs. */
  long tokens() {
    return (long) prompt.rows() * length();
  }

  /** Returns whether the step to come begins with the first token. */
  boolean isFirst() {
    return begin == 0;
  }

  /** Returns the chunk of what the caller gave for each token. The caller owns it. */
  Tensor part(Tensor whole) {
    return columns(whole, begin, length());
  }

  /** Returns the mask up to the end of the chunk, with what it has in front of the prompt. */
  Tensor masked(Tensor whole) {
    return columns(whole, 0, Math.toIntExact(whole.shape().dim(1)) - prompt.promptLength() + end());
  }

  private static Tensor columns(Tensor row, int from, int count) {
    Tensor part = Tensor.allocate(row.type(), Shape.of(1, count));
    int size = row.type().byteSize();
    MemorySegment.copy(row.data(), (long) from * size, part.data(), 0, (long) count * size);
    return part;
  }
}
