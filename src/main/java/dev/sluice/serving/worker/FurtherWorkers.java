package dev.sluice.serving.worker;

import dev.sluice.inference.ModelId;
import dev.sluice.scheduling.batching.DynamicBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workers of a session beyond the first: started when requests wait for a run that takes long, and
 * ended when none of them was needed for a minute. A thread, and the memory of runs, is there only
 * for those that were needed.
 *
 * <p>Threads: {@link #look} on one event loop, the rest on any.
 */
final class FurtherWorkers {
  private static final Logger LOG = LoggerFactory.getLogger(FurtherWorkers.class);

  /** After which a worker that was not needed ends. */
  static final Duration KEPT = Duration.ofMinutes(1);

  /** After which it is tried again to start one. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final ModelId model;
  private final int most;
  private final int coresOfARun;
  private final ConcurrencyPolicy policy;
  private final ConcurrencyMonitor monitor;
  private final DynamicBatcher batcher;
  private final LongSupplier nanoTime;
  private final Supplier<List<ModelWorkerVerticle>> first;
  private final Supplier<Future<?>> starter;
  private volatile List<ModelWorkerVerticle> workers = List.of();

  /** Whether requests wait, as far as an arrival has found. */
  private volatile boolean waiting;

  private volatile long neededNanos;
  private volatile boolean pauses;
  private volatile long pausedNanos;

  /** Touched on the event loop of the looks alone. */
  private boolean starting;

  /**
   * @param first the workers that are there from the beginning
   * @param starter starts one more, which is then to be {@link #add}ed, unless the model closes
   */
  FurtherWorkers(
      ModelId model,
      WorkerLimit limit,
      ModelWorkerState work,
      ConcurrencyMonitor monitor,
      Supplier<List<ModelWorkerVerticle>> first,
      Supplier<Future<?>> starter) {
    this.model = model;
    this.most = limit.most();
    this.coresOfARun = limit.coresOfARun();
    this.policy = work.policy();
    this.monitor = monitor;
    this.batcher = work.batcher();
    this.nanoTime = work.nanoTime();
    this.first = first;
    this.starter = starter;
  }

  /** Returns those that are there. */
  List<ModelWorkerVerticle> all() {
    return workers;
  }

  int coresOfARun() {
    return coresOfARun;
  }

  /** Returns whether one more may be started, when it is needed. */
  boolean mayGrow() {
    return first.get().size() + workers.size() < most && !isPaused();
  }

  private boolean isPaused() {
    return pauses && nanoTime.getAsLong() - pausedNanos < PAUSE.toNanos();
  }

  /** Something waits, and the first workers are busy: wakes one that is needed, or looks again. */
  void wakeOne() {
    if (most == 1) {
      return;
    }
    if (!waiting) {
      waiting = true;
    }
    monitor.look();
    if (!workers.isEmpty()) {
      wakeNeeded();
    }
  }

  /** Returns whether something waits, as far as an arrival has found. */
  boolean requestsWait() {
    return waiting;
  }

  /** Wakes or starts one that is needed. Returns whether something waits. */
  boolean look() {
    if (!waiting) {
      return false;
    }
    waiting = false;
    if (batcher.waiting() == 0) {
      return false;
    }
    waiting = true;
    if (!wakeNeeded() && mayGrow() && !starting && isNeededBehind(workers.size())) {
      start();
    }
    return true;
  }

  private boolean wakeNeeded() {
    List<ModelWorkerVerticle> all = workers;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).isResting()) {
        return isNeededBehind(i) && all.get(i).wake();
      }
    }
    return false;
  }

  /** Returns whether a further worker may take the next batch. */
  boolean mayTake(ModelWorkerVerticle worker) {
    int index = workers.indexOf(worker);
    return index >= 0 && isNeededBehind(index);
  }

  /** Returns whether all workers but the further ones from an index on hold up what waits. */
  private boolean isNeededBehind(int index) {
    int requests = batcher.waiting();
    if (requests == 0) {
      return false;
    }
    long now = nanoTime.getAsLong();
    List<ModelWorkerVerticle> fixed = first.get();
    long shortest = Math.min(shortest(fixed, fixed.size(), now), shortest(workers, index, now));
    boolean needed =
        switch (policy.need(requests, shortest)) {
          case NONE -> false;
          case IF_A_CORE_IS_FREE -> monitor.areFree(coresOfARun);
          case NOW -> true;
        };
    if (needed) {
      neededNanos = now;
    }
    return needed;
  }

  /** Returns for how long the first so many of some workers have run, the shortest of them. */
  private static long shortest(List<ModelWorkerVerticle> of, int count, long now) {
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      shortest = Math.min(shortest, of.get(i).watch().runningNanos(now));
    }
    return shortest;
  }

  private void start() {
    starting = true;
    starter
        .get()
        .onComplete(started -> {
          starting = false;
          pauses = started.failed();
          if (started.failed()) {
            pausedNanos = nanoTime.getAsLong();
            LOG.atWarn()
                .addKeyValue("model", model)
                .addKeyValue("reason", started.cause().getMessage())
                .addKeyValue("next", PAUSE.toSeconds() + " s")
                .log("a further worker of the model cannot be started");
          }
        });
  }

  /** Adds one that is about to start. */
  synchronized void add(ModelWorkerVerticle worker) {
    List<ModelWorkerVerticle> more = new ArrayList<>(workers);
    more.add(worker);
    workers = List.copyOf(more);
  }

  /** Returns whether it was one of these, which it is no more. */
  synchronized boolean remove(ModelWorkerVerticle worker) {
    List<ModelWorkerVerticle> less = new ArrayList<>(workers);
    boolean removed = less.remove(worker);
    workers = List.copyOf(less);
    return removed;
  }

  /** Lets all of them end at the next look that finds them at rest. */
  void outdate() {
    neededNanos = nanoTime.getAsLong() - KEPT.toNanos();
  }

  /** Takes out those that were not needed for long, and take nothing more. */
  synchronized List<ModelWorkerVerticle> takeIdle() {
    if (workers.isEmpty() || nanoTime.getAsLong() - neededNanos < KEPT.toNanos()) {
      return List.of();
    }
    List<ModelWorkerVerticle> idle =
        workers.stream().filter(ModelWorkerVerticle::finishIfResting).toList();
    workers = workers.stream().filter(worker -> !idle.contains(worker)).toList();
    return idle;
  }
}
