package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;

/** Decides which requests of one model run together, and how many. Any thread. */
public interface JoinRules {
  /** Returns whether this model's requests are joined. */
  boolean joins();

  /** Returns how many rows a batch has at most. */
  int largest();

  /** Returns what a request takes of a batch besides its rows. */
  default RowSize size(InferenceRequest request) {
    return RowSize.fixed(request);
  }

  /** Returns whether a request's rows are about as long as a batch's. */
  default boolean isNear(Batch batch, RowSize size) {
    return true;
  }

  /** Returns whether a batch may have so many more rows. */
  boolean fits(Batch batch, int more, RowSize size);

  /** By how many rows a request may join others; 0 if it runs alone. */
  int rows(InferenceRequest request);

  /** Returns whether two requests that have rows may run together. */
  boolean join(InferenceRequest one, InferenceRequest other);
}
