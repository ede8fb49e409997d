package dev.sluice.serving;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.scheduling.queue.Pending;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings answers back to the event loops that wait for them, several at a time where they come
 * fast: waking an event loop costs more than many a small model. Used by one worker.
 */
final class AnswersHome {
  /** One event loop's share of the answers that are ready. */
  private record Bundle(Context home, List<Runnable> answers) {}

  private final List<Bundle> bundles = new ArrayList<>();

  void succeed(Pending pending, InferenceResponse response) {
    bundle(pending.home()).add(() -> pending.succeed(response));
  }

  void fail(Pending pending, InferenceException failure) {
    bundle(pending.home()).add(() -> pending.fail(failure));
  }

  boolean isEmpty() {
    return bundles.isEmpty();
  }

  private List<Runnable> bundle(Context home) {
    for (Bundle bundle : bundles) {
      if (bundle.home.equals(home)) {
        return bundle.answers;
      }
    }
    var created = new Bundle(home, new ArrayList<>());
    bundles.add(created);
    return created.answers;
  }

  /** Sends everything off: one wake-up for each event loop. */
  void send() {
    for (Bundle bundle : bundles) {
      bundle.home.runOnContext(_ -> bundle.answers.forEach(Runnable::run));
    }
    bundles.clear();
  }
}
