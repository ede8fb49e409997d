package dev.sluice.loadtest.row;

/** One round of one side, or what is found in one. */
@FunctionalInterface
interface Round<T> {
  /** Runs the round; blocks until it is over. */
  T run();
}
