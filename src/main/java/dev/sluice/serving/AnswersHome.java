package dev.sluice.serving;

import dev.sluice.scheduling.queue.Pending;
import dev.sluice.scheduling.queue.PendingList;
import io.vertx.core.Context;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings answers back to the event loops that wait for them, several at a time where they come
 * fast: waking an event loop costs more than many a small model. Used by one worker.
 */
final class AnswersHome {
  /** One event loop's share of the answers that are ready. Kept, as event loops are few. */
  private static final class Bundle {
    private final Context home;
    private PendingList ready = new PendingList();

    Bundle(Context home) {
      this.home = home;
    }

    void send() {
      PendingList sent = ready;
      ready = new PendingList();
      home.runOnContext(_ -> sent.deliverAll());
    }
  }

  private final List<Bundle> bundles = new ArrayList<>();

  /** Takes a request whose answer is decided. */
  void add(Pending decided) {
    bundle(decided.home()).ready.addLast(decided);
  }

  private Bundle bundle(Context home) {
    for (int i = 0; i < bundles.size(); i++) {
      if (bundles.get(i).home.equals(home)) {
        return bundles.get(i);
      }
    }
    var created = new Bundle(home);
    bundles.add(created);
    return created;
  }

  /** Takes out what goes to this event loop, to be delivered there. */
  PendingList takeOut(Context home) {
    Bundle bundle = bundle(home);
    PendingList taken = bundle.ready;
    bundle.ready = new PendingList();
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
