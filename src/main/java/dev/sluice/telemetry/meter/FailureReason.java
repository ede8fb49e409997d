package dev.sluice.telemetry.meter;

/** The reason why a request that had found its model got no answer, in Triton's words. */
public enum FailureReason {
  /**
   * The model was too busy: rejected by admission control or by the queue, or waited too long in
   * it.
   */
  REJECTED,
  /** The caller left. */
  CANCELED,
  /** The model or its runtime refused it or failed. */
  BACKEND,
  OTHER
}
