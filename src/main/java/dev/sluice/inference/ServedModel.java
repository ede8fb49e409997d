package dev.sluice.inference;

/**
 * One live version, lent to a request. It stays loaded until {@link #release}, even when a newer
 * version takes over meanwhile.
 *
 * <p>Whoever got it from {@link DataPlane#find} must either release it once, or put it into an
 * {@link InferenceRequest}, which does.
 */
public interface ServedModel {
  ModelId id();

  ModelMetadata metadata();

  /** Gives the loan back. Any thread. */
  void release();
}
