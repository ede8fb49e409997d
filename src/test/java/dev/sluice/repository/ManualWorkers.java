package dev.sluice.repository;

import dev.sluice.testing.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Workers whose time passes when the test says so. */
final class ManualWorkers implements Workers {
  private final ManualExecutor now = new ManualExecutor();
  private final List<Runnable> later = new ArrayList<>();
  final List<Duration> delays = new ArrayList<>();

  @Override
  public void execute(Runnable task) {
    now.execute(task);
  }

  @Override
  public void executeAfter(Duration delay, Runnable task) {
    delays.add(delay);
    later.add(task);
  }

  int waiting() {
    return now.waiting();
  }

  void runNext() {
    now.runNext();
  }

  void runSecond() {
    now.runSecond();
  }

  void runAll() {
    now.runAll();
  }

  /** The time of everything put off has come; runs that, and whatever it adds. */
  void passTime() {
    List<Runnable> due = List.copyOf(later);
    later.clear();
    due.forEach(now::execute);
    runAll();
  }
}
