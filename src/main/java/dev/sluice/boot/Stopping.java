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
    try {
      server.close();
      LOG.info("stopped");
    } finally {
      stopped.countDown();
    }
  }
}
