package dev.sluice.repository;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Threads for what blocks: looking at folders, loading, closing. How many is theirs. */
public interface Workers extends Executor {
  /** Runs the task after so long, unless the workers have stopped by then. */
  void executeAfter(Duration delay, Runnable task);
}
