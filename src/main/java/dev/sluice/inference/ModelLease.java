package dev.sluice.inference;

import dev.sluice.inference.access.Caller;
import dev.sluice.inference.tokens.ModelTokenizer;
import java.util.Optional;
import java.util.function.Function;

/**
 * A lease: the counted right of one request to use a live version. It stays loaded until {@link
 * #release}, even when a newer version takes over meanwhile.
 *
 * <p>Who acquires a lease has two ways to end it, and calls {@link #release} in neither: {@link
 * #read} what the version says of itself, or {@link #handOver} the lease to an {@link
 * InferenceRequest}, which releases it when it is closed.
 */
public interface ModelLease {
  /** Returns the model and version that the lease keeps loaded. */
  ModelId id();

  /** Returns the metadata of the leased version. */
  ModelMetadata metadata();

  /** Returns its configuration in Triton's form; {@link ModelConfiguration#NONE} if it has none. */
  default ModelConfiguration configuration() {
    return ModelConfiguration.NONE;
  }

  /**
   * Returns the caller whose request it was admitted for; the server itself for all other leases.
   */
  default Caller caller() {
    return Caller.SERVER;
  }

  /** Returns why it is not ready although it is loaded; empty if it is. Any thread. */
  default Optional<ModelProblem> problem() {
    return Optional.empty();
  }

  /** Returns the tokenizer of a version that takes text; empty if it has none. Any thread. */
  default Optional<ModelTokenizer> tokenizer() {
    return Optional.empty();
  }

  /**
   * Returns the version leased once more, without another permit of admission: the caller's to
   * release. Only while this lease is held; any thread. As it is here for versions that nothing
   * unloads meanwhile.
   */
  default ModelLease again() {
    return this;
  }

  /**
   * Releases the lease, once: it is a reference count, so releasing is not idempotent. Any thread.
   */
  void release();

  /**
   * Returns what a function reads of the version, and releases the lease whatever happens.
   *
   * @param reader does not keep the lease
   */
  default <T> T read(Function<? super ModelLease, T> reader) {
    try {
      return reader.apply(this);
    } finally {
      release();
    }
  }

  /**
   * Hands the lease over to what a function makes of it: a request, or what a request will be made
   * of. Releases it if the function fails.
   *
   * @param maker checks and decodes
   * @return the owner of the lease from now on
   */
  default <T> T handOver(Function<? super ModelLease, T> maker) {
    try {
      return maker.apply(this);
    } catch (RuntimeException | Error e) {
      release();
      throw e;
    }
  }
}
