package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a request takes of a batch besides its rows.
 *
 * @param length of its rows; 0 if they have none
 * @param fixedBytes of its inputs, without those that have such rows
 * @param elementBytes of the others, for each element of length
 */
record RowSize(long length, long fixedBytes, long elementBytes) {
  static RowSize of(InferenceRequest request, @Nullable PaddedRows padded) {
    long length = padded == null ? 0 : padded.length(request);
    return padded == null || length == 0
        ? new RowSize(0, request.inputBytes(), 0)
        : padded.size(request, length);
  }
}
