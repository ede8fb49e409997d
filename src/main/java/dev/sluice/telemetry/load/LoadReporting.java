package dev.sluice.telemetry.load;

/** The answers that carry a load report. */
public enum LoadReporting {
  OFF,

  /** Those whose request asks for it. */
  REQUESTED,

  ALWAYS
}
