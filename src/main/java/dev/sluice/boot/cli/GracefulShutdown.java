package dev.sluice.boot.cli;

import dev.sluice.boot.log.LogSetup;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Graceful shutdown of the process: drains on the first signal, and ends at once on the second. One
 * that comes while the server starts waits for it, since its ports may be open by then.
 *
 * <p>Drain: readiness falls, listeners stop accepting, requests in flight complete, streams are
 * ended in the words of their protocol.
 */
final class GracefulShutdown {
  private static final Logger LOG = LoggerFactory.getLogger(GracefulShutdown.class);

  /** The process ends so long after a second signal at the latest. */
  private static final Duration FORCED_TIMEOUT = Duration.ofSeconds(5);

  /** A server that has not started so long after a signal is not waited for. */
  private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

  /** Cancelled if no server starts, or it is not waited for. */
  private final CompletableFuture<Server> server = new CompletableFuture<>();

  private final CountDownLatch stopped = new CountDownLatch(1);

  /** Zero when the server is closed, or is not waited for any more. */
  private final CountDownLatch over = new CountDownLatch(1);

  private final Thread hook = new Thread(this::drainAndHalt, "drain");

  private volatile boolean begun;
  private volatile boolean closed;

  /**
   * From now on SIGTERM and Ctrl-C drain the server before the process ends, the same again ends
   * the drain early, and SIGHUP reloads. Before the server starts.
   */
  void onSignal() {
    Runtime.getRuntime().addShutdownHook(hook);
    Signals.on("HUP", this::reload);
  }

  /** Takes the server that has started. */
  void hasStarted(Server started) {
    server.complete(started);
  }

  /** Leaves the end of the process to others: it fails. A drain that has begun goes on. */
  void cancel() {
    server.cancel(false);
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
    try {
      drain(server.get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | CancellationException | ExecutionException e) {
      LOG.warn("the server has not started, and the process ends without waiting for it");
      LOG.debug("it was waited for", e);
    } catch (InterruptedException e) {
      LOG.warn("interrupted while draining: {}", e.getMessage());
    } finally {
      stopped.countDown();
    }
  }

  private void drain(Server started) throws InterruptedException {
    var _ = Thread.ofPlatform().daemon().name("closing").start(() -> close(started));
    var _ = over.await(started.closingTime().toMillis(), TimeUnit.MILLISECONDS);
    if (!closed) {
      LOG.warn("runs of models have not ended, and the process ends without waiting for them");
    }
  }

  private void close(Server started) {
    try {
      started.close();
      closed = true;
      LOG.info("stopped");
    } finally {
      over.countDown();
    }
  }

  /** Runs on a thread of its own. */
  private void stopNow() {
    LOG.info("draining is cut short by a second signal");
    if (server.cancel(false)) {
      return;
    }
    var _ = server.thenAccept(Server::stopNow);
    try {
      var _ = over.await(FORCED_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      LOG.warn("interrupted while draining: {}", e.getMessage());
    }
    over.countDown();
  }

  private void reload() {
    var _ = server.thenAccept(GracefulShutdown::reload);
  }

  private static void reload(Server started) {
    started
        .reload()
        .onSuccess(what ->
            LOG.info(
                "looked for changes: {}", what.isEmpty() ? "nothing" : String.join(", ", what)));
  }
}
