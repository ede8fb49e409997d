package dev.sluice.repository;

import dev.sluice.inference.control.LoadFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Callers that wait: for loads that they asked for, or until the actual state is the desired one.
 * Touched only under the repository's lock.
 */
final class RepositoryWaiters {
  private final List<LoadWaiter> loads = new ArrayList<>();
  private final List<Promise<Void>> reconciliations = new ArrayList<>();

  /** Adds one that waits for loads. */
  void add(LoadWaiter waiter) {
    loads.add(waiter);
  }

  /** Adds one that waits until the actual state is the desired one, and returns what it gets. */
  Future<Void> untilReconciled() {
    Promise<Void> reconciled = Promise.promise();
    reconciliations.add(reconciled);
    return reconciled.future();
  }

  /**
   * Forgets those that need not wait any more.
   *
   * @param closing nothing is loaded any more: loads that are waited for fail
   * @return tells them, to be run without the lock
   */
  List<Runnable> leave(Map<String, TrackedModel> models, boolean closing, boolean isReconciled) {
    List<Runnable> outcomes = new ArrayList<>();
    loads.removeIf(waiting -> {
      boolean over = closing || waiting.decided(models);
      if (closing) {
        outcomes.add(waiting::fail);
      } else if (over) {
        List<LoadFailure> failures = waiting.failures(models);
        outcomes.add(() -> waiting.outcome().complete(failures));
      }
      return over;
    });
    if (isReconciled) {
      reconciliations.forEach(reconciled -> outcomes.add(reconciled::complete));
      reconciliations.clear();
    }
    return outcomes;
  }
}
