package dev.sluice.scheduling.queue;

/** The part of a {@link ModelQueue} any thread may use. The rest is for the model's workers. */
public sealed interface QueueIntake permits ModelQueue {
  /** The outcome of an offer. */
  enum Offer {
    TAKEN,
    FULL,
    CLOSED
  }

  /**
   * Adds the request, or refuses it at once. Never blocks. Unless it is TAKEN, the request stays
   * the caller's.
   */
  Offer offer(PendingRequest request);
}
