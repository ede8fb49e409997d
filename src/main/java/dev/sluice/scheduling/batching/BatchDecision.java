package dev.sluice.scheduling.batching;

/** Decision about a worker's next batch: dispatch it, wait for its batch delay, or idle. */
public enum BatchDecision {
  /** Run the batch. */
  DISPATCH,
  /** Wait for the batch delay, as long as the batch says, and ask again. */
  WAIT,
  /** Rest: nothing waits, or what waits is looked after by another worker. */
  IDLE
}
