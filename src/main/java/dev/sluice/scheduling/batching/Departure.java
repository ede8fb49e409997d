package dev.sluice.scheduling.batching;

/** What a worker that asked for a batch has to do. */
public enum Departure {
  /** Run the batch. */
  LEAVES,
  /** Wait for the batch's company, as long as it says, and ask again. */
  WAITS,
  /** Rest: nothing waits, or what waits is looked after by another worker. */
  NONE
}
