package dev.sluice.inference;

import dev.sluice.inference.access.Caller;
import java.util.Optional;

/**
 * A lease: the counted right of one request to use a live version. It stays loaded until {@link
 * #release}, even when a newer version takes over meanwhile.
 *
 * <p>The caller of {@link DataPlane#find} must either release it once, or put it into an {@link
 * InferenceRequest}, which does.
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

  /**
   * Releases the lease, once: it is a reference count, so releasing is not idempotent. Any thread.
   */
  void release();
}
