package dev.sluice.telemetry.exposition;

/**
 * Whose names metrics have on the page: Sluice's own, or those of a server that it stands in for.
 */
public enum MetricNames {
  SLUICE,
  TENSORFLOW,
  TRITON,
  KSERVE;

  /** Returns whether these are the names of a server whose text format is a form of its own. */
  boolean haveOwnText() {
    return this == TENSORFLOW || this == TRITON;
  }
}
