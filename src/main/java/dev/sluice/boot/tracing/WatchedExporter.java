package dev.sluice.boot.tracing;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a collector takes, and logs once that it takes nothing, and once that it does again.
 * Any thread.
 */
final class WatchedExporter implements SpanExporter {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedExporter.class);

  private final SpanExporter next;
  private final URI endpoint;
  private final LongAdder exported = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final AtomicBoolean failing = new AtomicBoolean();
  private IntConsumer taken = _ -> {};

  WatchedExporter(SpanExporter next, URI endpoint) {
    this.next = next;
    this.endpoint = endpoint;
  }

  /** Sets what gets the number of spans that wait no longer. Before the first is exported. */
  void onTaken(IntConsumer action) {
    taken = action;
  }

  long exported() {
    return exported.sum();
  }

  long lost() {
    return lost.sum();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size();
    taken.accept(count);
    CompletableResultCode sent = next.export(spans);
    return sent.whenComplete(() -> {
      if (sent.isSuccess()) {
        succeeded(count);
      } else {
        failed(count, sent.getFailureThrowable());
      }
    });
  }

  private void succeeded(int count) {
    exported.add(count);
    if (failing.compareAndSet(true, false)) {
      LOG.atInfo()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("lost", lost.sum())
          .log("spans are exported again");
    }
  }

  private void failed(int count, @Nullable Throwable why) {
    lost.add(count);
    if (failing.compareAndSet(false, true)) {
      LOG.atWarn()
          .addKeyValue("endpoint", endpoint)
          .addKeyValue("reason", why == null ? "unknown" : why.toString())
          .log("spans are not exported: the collector does not take them");
    }
  }

  @Override
  public CompletableResultCode flush() {
    return next.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }
}
