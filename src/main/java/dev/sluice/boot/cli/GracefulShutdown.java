package dev.sluice.boot.cli;

import dev.sluice.boot.log.LogSetup;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful shutdown of the process: drains on the first signal, and ends at once on the second.
 *
 * <p>Drain: readiness falls, listeners stop accepting, requests in flight complete, streams are
 * ended in the words of their protocol.
 */
final class GracefulShutdown {
  private static final Logger LOG = LoggerFactory.getLogger(GracefulShutdown.class);

  /** The process ends so long after a second signal at the latest. */
  private static final Duration FORCED_TIMEOUT = Duration.ofSeconds(5);

  private final Server server;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Zero when the server is closed, or is not waited for any more. */
  private final CountDownLatch over = new CountDownLatch(1);

  private final Thread hook = new Thread(this::drainAndHalt, "drain");

  private volatile boolean begun;
  private volatile boolean closed;

  GracefulShutdown(Server server) {
    this.server = server;
  }

  /**
   * From now on SIGTERM and Ctrl-C drain the server before the process ends, the same again ends
   * the drain early, and SIGHUP reloads.
   */
  void onSignal() {
    Runtime.getRuntime().addShutdownHook(hook);
    Signals.on("HUP", this::reload);
  }

  /** Leaves the end of the process to others: it fails. Does nothing once a drain has begun. */
  void cancel() {
    try {
      var _ = Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("the process ends already", e);
    }
  }

  /** Returns whether a signal has begun the drain. */
  boolean hasBegun() {
    return begun;
  }

  private void drainAndHalt() {
    drain();
    LogSetup.finish();
    // The parent process expects exit code 0, and the JVM would exit with the signal's number.
    Runtime.getRuntime().halt(0);
  }

  /** Waits until the server is closed. */
  void await() throws InterruptedException {
    stopped.await();
  }

  private void drain() {
    begun = true;
    Signals.on("TERM", this::stopNow);
    Signals.on("INT", this::stopNow);
    // From this line on, a second signal is not missed.
    LOG.info("draining");
    var _ = Thread.ofPlatform().daemon().name("closing").start(this::close);
    try {
      var _ = over.await(server.closingTime().toMillis(), TimeUnit.MILLISECONDS);
      if (!closed) {
        LOG.warn("runs of models have not ended, and the process ends without waiting for them");
      }
    } catch (InterruptedException e) {
      LOG.warn("interrupted while draining: {}", e.getMessage());
    } finally {
      stopped.countDown();
    }
  }

  private void close() {
    try {
      server.close();
      closed = true;
      LOG.info("stopped");
    } finally {
      over.countDown();
    }
  }

  /** Runs on a thread of its own. */
  private void stopNow() {
    LOG.info("draining is cut short by a second signal");
    server.stopNow();
    try {
      var _ = over.await(FORCED_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      LOG.warn("interrupted while draining: {}", e.getMessage());
    }
    over.countDown();
  }

  private void reload() {
    server
        .reload()
        .onSuccess(what ->
            LOG.info(
                "looked for changes: {}", what.isEmpty() ? "nothing" : String.join(", ", what)));
  }
}
