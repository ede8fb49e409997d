package dev.sluice.boot.otlp;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.function.IntConsumer;

/** Has spans counted that are sent. Any thread. */
final class WatchedSpans implements SpanExporter {
  private final SpanExporter next;
  private final CollectorWatch watch;
  private IntConsumer taken = _ -> {};

  WatchedSpans(SpanExporter next, CollectorWatch watch) {
    this.next = next;
    this.watch = watch;
  }

  /** Sets what gets the number of spans that wait no longer. Before the first is exported. */
  void onTaken(IntConsumer action) {
    taken = action;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int count = spans.size();
    taken.accept(count);
    return watch.watch(count, next.export(spans));
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
