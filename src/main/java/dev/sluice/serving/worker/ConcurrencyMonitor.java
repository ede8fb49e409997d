package dev.sluice.serving.worker;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks after the requests of all models that wait while their model's workers are in runs, and
 * knows how many cores runs keep. One for a server: one timer, which runs only while something
 * waits.
 *
 * <p>Threads: any; looks on one event loop.
 */
public final class ConcurrencyMonitor {
  /** The shortest period of a timer: a run is found to be long at most so much later. */
  private static final long PERIOD_MILLIS = 1;

  /** Looks in vain after which the timer ends. */
  private static final int IDLE_LOOKS = 20;

  private final Vertx vertx;
  private final Context context;
  private final int cores;
  private final Set<ModelWorkers> models = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();

  /** Touched on the event loop alone. */
  private int idleLooks;

  /** Made on a thread that is not Vert.x's, so that what it deploys is no listener's child. */
  public ConcurrencyMonitor(Vertx vertx, int cores) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.cores = cores;
  }

  /** Returns how many cores there are. */
  public int cores() {
    return cores;
  }

  void add(ModelWorkers model) {
    models.add(model);
  }

  void remove(ModelWorkers model) {
    models.remove(model);
  }

  /** Returns whether so many cores are free of runs. */
  boolean areFree(int wanted) {
    int busy = 0;
    for (ModelWorkers model : models) {
      busy += model.busyCores();
    }
    return busy + wanted <= cores;
  }

  /** Looks from now on, until nothing waits any more. Costs a look at a field if it does. */
  void look() {
    if (!looking.get() && looking.compareAndSet(false, true)) {
      context.runOnContext(_ -> vertx.setPeriodic(PERIOD_MILLIS, this::look));
    }
  }

  private void look(long timer) {
    boolean waits = false;
    for (ModelWorkers model : models) {
      waits |= model.further().look();
    }
    idleLooks = waits ? 0 : idleLooks + 1;
    if (idleLooks > IDLE_LOOKS) {
      idleLooks = 0;
      vertx.cancelTimer(timer);
      looking.set(false);
      // What came since the last look has seen a timer that is no more.
      if (models.stream().anyMatch(model -> model.further().requestsWait())) {
        look();
      }
    }
  }
}
