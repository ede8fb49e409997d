package dev.sluice.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Keeps tasks until the test runs them, on the test's thread. */
public final class ManualExecutor implements Executor {
  private final Deque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  public int waiting() {
    return tasks.size();
  }

  public void runNext() {
    tasks.remove().run();
  }

  /** Leaves the first task where it is, as if it took long, and runs the one after it. */
  public void runSecond() {
    Runnable first = tasks.remove();
    Runnable second = tasks.remove();
    tasks.addFirst(first);
    second.run();
  }

  /** Runs everything, and whatever that adds. */
  public void runAll() {
    while (!tasks.isEmpty()) {
      runNext();
    }
  }
}
