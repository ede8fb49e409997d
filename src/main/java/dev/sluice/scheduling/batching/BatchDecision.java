package dev.sluice.scheduling.batching;

/** What a worker that asked for a batch has to do. */
public enum BatchDecision {
  /** Run the batch. */
  DISPATCH,
  /** Wait for the batch's company, as long as it says, and ask again. */
  WAIT,
  /** Rest: nothing waits, or what waits is looked after by another worker. */
  IDLE
}
