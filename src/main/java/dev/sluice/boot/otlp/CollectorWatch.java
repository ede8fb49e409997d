package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a collector takes, and logs once that it takes nothing, and once that it does again.
 * Any thread.
 */
final class CollectorWatch {
  private static final Logger LOG = LoggerFactory.getLogger(CollectorWatch.class);

  /** The SDK's own log, which would repeat what is logged here. Kept, or its level is forgotten. */
  private static final java.util.logging.Logger SDK_LOG =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private final String sent;
  private final URI endpoint;
  private final LongAdder exported = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final AtomicBoolean failing = new AtomicBoolean();

  /**
   * @param sent what is counted, in the plural
   */
  CollectorWatch(String sent, URI endpoint) {
    SDK_LOG.setLevel(Level.OFF);
    this.sent = sent;
    this.endpoint = endpoint;
  }

  long exported() {
    return exported.sum();
  }

  long lost() {
    return lost.sum();
  }

  /**
   * Counts a message when it has been taken or not.
   *
   * @param count how much is in it
   * @param sending of the message; is returned, once it is counted
   */
  CompletableResultCode watch(int count, CompletableResultCode sending) {
    return sending.whenComplete(() -> {
      if (sending.isSuccess()) {
        succeeded(count);
      } else {
        failed(count, sending.getFailureThrowable());
      }
    });
  }

  private void succeeded(int count) {
    exported.add(count);
    if (failing.compareAndSet(true, false)) {
      LOG.atInfo()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("lost", lost.sum())
          .log("{} are exported again", sent);
    }
  }

  private void failed(int count, @Nullable Throwable why) {
    lost.add(count);
    if (failing.compareAndSet(false, true)) {
      LOG.atWarn()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("reason", why == null ? "unknown" : why.toString())
          .log("{} are not exported: the collector does not take them", sent);
    }
  }
}
