package dev.sluice.repository;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Real threads, on which nothing is ever put off. */
record ThreadWorkers(Executor threads) implements Workers {
  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  @Override
  public void executeAfter(Duration delay, Runnable task) {
    throw new AssertionError("nothing is retried here");
  }
}
