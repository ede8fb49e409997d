package dev.sluice.telemetry;

import dev.sluice.telemetry.meter.CallMeter;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One streamed answer: counted while it is open, and its messages timed as they are sent. Of the
 * call's event loop.
 */
public final class StreamRecord {
  private final LongSupplier nanoTime;

  /** Null if the call is not counted, or the answer has ended. */
  private CallMeter.@Nullable Messages messages;

  private long sinceNanos;
  private boolean hasSent;

  StreamRecord(LongSupplier nanoTime, long begun, CallMeter.@Nullable Messages messages) {
    this.nanoTime = nanoTime;
    this.sinceNanos = begun;
    this.messages = messages;
    if (messages != null) {
      messages.begun();
    }
  }

  /** Records that a message is sent now. */
  public void sent() {
    if (messages == null) {
      return;
    }
    long now = nanoTime.getAsLong();
    if (hasSent) {
      messages.next(now - sinceNanos);
    } else {
      messages.first(now - sinceNanos);
      hasSent = true;
    }
    sinceNanos = now;
  }

  /** Records that the answer has ended, well or not. Later ends do not count. */
  public void ended() {
    if (messages != null) {
      messages.ended();
      messages = null;
    }
  }
}
