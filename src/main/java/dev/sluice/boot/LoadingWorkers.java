package dev.sluice.boot;

import dev.sluice.repository.Workers;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Vert.x's workers for what the repository does.
 *
 * <p>Threads: loads run on a pool of their own, as many at once as the settings say, so that a slow
 * load blocks neither event loops nor requests.
 */
final class LoadingWorkers implements Workers {
  private static final Logger LOG = LoggerFactory.getLogger(LoadingWorkers.class);

  private final Vertx vertx;
  private final ServerThreads threads;

  /**
   * Context of no verticle. A verticle that a task deploys is a child of the one whose context
   * began the task, and is undeployed with it; models outlive the listener that asked for them.
   */
  private final Context detached;

  /** Made on a thread that is not Vert.x's. */
  LoadingWorkers(ServerThreads threads) {
    this.vertx = threads.vertx();
    this.threads = threads;
    this.detached = vertx.getOrCreateContext();
  }

  @Override
  public void execute(Runnable task) {
    detached.runOnContext(_ -> begin(task));
  }

  private void begin(Runnable task) {
    threads
        .load(
            () -> {
              task.run();
              return null;
            },
            false)
        .onFailure(e -> LOG.error("a model could not be loaded or closed", e));
  }

  @Override
  public void executeAfter(Duration delay, Runnable task) {
    vertx.setTimer(Math.max(1, delay.toMillis()), _ -> execute(task));
  }
}
