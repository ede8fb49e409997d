package dev.sluice.repository;

import dev.sluice.inference.ModelMetadata;
import java.util.Map;

/** A version that is open and could take requests. */
public interface LoadedModel {
  ModelMetadata metadata();

  /** Its configuration in Triton's form, complete; empty if it has none. */
  default Map<String, Object> configuration() {
    return Map.of();
  }

  /**
   * Frees everything. Called exactly once, when the last loan is back, on a loading worker; may
   * block.
   */
  void close();
}
