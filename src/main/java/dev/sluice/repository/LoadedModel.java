package dev.sluice.repository;

import dev.sluice.inference.ModelMetadata;

/** A version that is open and could take requests. */
public interface LoadedModel {
  ModelMetadata metadata();

  /**
   * Frees everything. Called exactly once, when the last loan is back, on a loading worker; may
   * block.
   */
  void close();
}
