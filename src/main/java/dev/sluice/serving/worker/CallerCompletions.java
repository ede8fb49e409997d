package dev.sluice.serving.worker;

import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.scheduling.queue.PendingRequests;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes requests on their callers' event loops, several in one wake-up: waking an event loop
 * costs more than the run of many a small model. Used by one worker.
 */
final class CallerCompletions {
  /** One event loop's share of the answers that are ready. Kept, as event loops are few. */
  private static final class Bundle {
    private final Context callerContext;
    private PendingRequests ready = new PendingRequests();

    Bundle(Context callerContext) {
      this.callerContext = callerContext;
    }

    void send() {
      PendingRequests sent = ready;
      ready = new PendingRequests();
      callerContext.runOnContext(_ -> sent.deliverAll());
    }
  }

  private final List<Bundle> bundles = new ArrayList<>();

  /** Takes a request whose answer is decided. */
  void add(PendingRequest completed) {
    bundle(completed.callerContext()).ready.addLast(completed);
  }

  private Bundle bundle(Context callerContext) {
    for (int i = 0; i < bundles.size(); i++) {
      if (bundles.get(i).callerContext.equals(callerContext)) {
        return bundles.get(i);
      }
    }
    var created = new Bundle(callerContext);
    bundles.add(created);
    return created;
  }

  /** Takes out what goes to this event loop, to be delivered there. */
  PendingRequests takeOut(Context callerContext) {
    Bundle bundle = bundle(callerContext);
    PendingRequests taken = bundle.ready;
    bundle.ready = new PendingRequests();
    return taken;
  }

  /** Sends everything off: one wake-up for each event loop. */
  void send() {
    for (int i = 0; i < bundles.size(); i++) {
      if (!bundles.get(i).ready.isEmpty()) {
        bundles.get(i).send();
      }
    }
  }
}
