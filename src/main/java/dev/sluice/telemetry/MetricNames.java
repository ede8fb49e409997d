package dev.sluice.telemetry;

/**
 * Whose names metrics have on the page: Sluice's own, or those of a server that it stands in for.
 */
public enum MetricNames {
  SLUICE,
  TENSORFLOW,
  TRITON,
  KSERVE
}
