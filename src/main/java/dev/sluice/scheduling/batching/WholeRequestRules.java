package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;

/**
 * Rules for a model that takes requests together as they are, whatever their shapes: each counts as
 * one row.
 *
 * @param largest requests that run together; 1: each runs alone
 * @param largestBytes of their inputs, together
 */
public record WholeRequestRules(int largest, long largestBytes) implements JoinRules {
  @Override
  public boolean joins() {
    return largest > 1;
  }

  @Override
  public boolean fits(Batch batch, int more, RowSize size) {
    return batch.rows + more <= largest && batch.bytesWith(size) <= largestBytes;
  }

  @Override
  public int rows(InferenceRequest request) {
    return joins() ? 1 : 0;
  }

  @Override
  public boolean join(InferenceRequest one, InferenceRequest other) {
    return true;
  }
}
