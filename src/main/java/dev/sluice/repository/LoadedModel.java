package dev.sluice.repository;

import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelProblem;
import dev.sluice.inference.tokens.ModelTokenizer;
import java.util.Optional;

/**
 * A version that is open and could take requests.
 *
 * <p>Implemented by {@code serving}; this is all that the repository uses of a model.
 */
public interface LoadedModel {
  /** Returns the model's description of itself, which never changes while it is loaded. */
  ModelMetadata metadata();

  /** Returns its configuration in Triton's form; {@link ModelConfiguration#NONE} if it has none. */
  default ModelConfiguration configuration() {
    return ModelConfiguration.NONE;
  }

  /**
   * Returns the reason why the model is not ready although it is loaded; empty if it is. Any
   * thread.
   */
  default Optional<ModelProblem> problem() {
    return Optional.empty();
  }

  /** Returns the tokenizer of a version that takes text; empty if it has none. Any thread. */
  default Optional<ModelTokenizer> tokenizer() {
    return Optional.empty();
  }

  /**
   * Answers those who wait for it with UNAVAILABLE, also for runs under way, and all who come. Any
   * thread; does not block.
   */
  default void giveUp(String why) {}

  /**
   * Frees everything. Called exactly once, when the last lease is released, on a loading worker;
   * may block.
   */
  void close();
}
