package dev.sluice.boot.otlp;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets so many spans wait for the SDK's processor, whose own queue is as long, and counts those
 * that it drops: the SDK counts them only by its own metrics. Any thread.
 */
final class BoundedProcessor implements SpanProcessor {
  private final SpanProcessor next;
  private final int most;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder dropped = new LongAdder();

  BoundedProcessor(SpanProcessor next, int most) {
    this.next = next;
    this.most = most;
  }

  /** So many spans wait no longer: they are being sent, or were. */
  void taken(int count) {
    waiting.addAndGet(-count);
  }

  long dropped() {
    return dropped.sum();
  }

  @Override
  public void onStart(Context parentContext, ReadWriteSpan span) {
    // What counts is the end.
  }

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (waiting.incrementAndGet() > most) {
      waiting.decrementAndGet();
      dropped.increment();
    } else {
      next.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return next.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return next.forceFlush();
  }
}
