package dev.sluice.telemetry;

/** The answers that tell how long each stage took. */
public enum ServerTiming {
  OFF,

  /** Those whose request asks for it. */
  REQUESTED,

  ALWAYS
}
