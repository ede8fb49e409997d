package dev.sluice.scheduling.admission;

import java.time.Duration;

/** Concurrency limit: how many requests may be in flight. Any thread. */
public interface ConcurrencyLimit {
  /** Returns the limit now. */
  int get();

  /**
   * Learns that a request has entered.
   *
   * @param before how many were inside then
   */
  default void entered(int before) {}

  /**
   * Learns that a request has left.
   *
   * @param inFlight how many are left inside
   */
  void released(int inFlight);

  /** Learns that one of those inside has waited in vain: its deadline has passed in the queue. */
  default void expired() {}

  /** Returns how long it takes until as many requests as the limit have completed. */
  Duration timeToDrain();
}
