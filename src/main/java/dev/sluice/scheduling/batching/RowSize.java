package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;

/**
 * What a request takes of a batch besides its rows.
 *
 * @param length of its rows; 0 if they have none
 * @param fixedBytes of its inputs, without those that have such rows
 * @param elementBytes of the others, for each element of length
 */
public record RowSize(long length, long fixedBytes, long elementBytes) {
  /** Returns the size of a request whose rows have no length. */
  static RowSize fixed(InferenceRequest request) {
    return new RowSize(0, request.inputBytes(), 0);
  }
}
