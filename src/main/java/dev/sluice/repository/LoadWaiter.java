package dev.sluice.repository;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.control.LoadFailure;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A caller that waits until these models are loaded or have failed.
 *
 * @param whole whether every version counts that should be served, and that it is what lies there
 *     now; else one that takes requests is enough
 * @param outcome completed outside the repository's lock
 */
record LoadWaiter(Set<String> names, boolean whole, Promise<List<LoadFailure>> outcome) {
  /**
   * Returns whether the wait is over: every load has succeeded or failed. Called under the
   * repository's lock.
   */
  boolean decided(Map<String, TrackedModel> models) {
    return names.stream()
        .map(models::get)
        .allMatch(model -> model == null || (whole ? model.whollyDecided() : model.decided()));
  }

  /** Returns the failures of loads. Called under the repository's lock. */
  List<LoadFailure> failures(Map<String, TrackedModel> models) {
    List<LoadFailure> failures = new ArrayList<>();
    names.stream()
        .sorted()
        .map(models::get)
        .forEach(model -> {
          if (model != null && whole) {
            failures.addAll(model.whollyFailures());
          } else if (model != null && !model.serves()) {
            failures.addAll(model.failures());
          }
        });
    return failures;
  }

  void fail() {
    outcome.tryFail(new InferenceException(ErrorCode.UNAVAILABLE, "the server is stopping"));
  }
}
