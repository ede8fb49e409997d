package dev.sluice.boot;

import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From the signal to the end of the process. */
final class Stopping {
  private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);

  private final Server server;
  private final CountDownLatch stopped = new CountDownLatch(1);

  Stopping(Server server) {
    this.server = server;
  }

  /** From now on SIGTERM and Ctrl-C drain the server before the process ends. */
  void onSignal() {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  drain();
                  LogSetup.finish();
                  // Whoever asked for it wants to hear that all went well, and the JVM would answer
                  // with the signal's number.
                  Runtime.getRuntime().halt(0);
                },
                "drain"));
  }

  /** Waits until the server is closed. */
  void await() throws InterruptedException {
    stopped.await();
  }

  private void drain() {
    LOG.info("draining");
    Thread closing = Thread.ofPlatform().daemon().name("closing").start(this::close);
    try {
      if (!closing.join(server.closingTime())) {
        LOG.warn("runs of models have not ended, and the process ends without waiting for them");
      }
    } catch (InterruptedException e) {
      LOG.warn("interrupted while draining: {}", e.getMessage());
    } finally {
      stopped.countDown();
    }
  }

  private void close() {
    server.close();
    LOG.info("stopped");
  }
}
