package dev.sluice.telemetry;

import dev.sluice.inference.ErrorCode;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way: takes the times, and counts the call once, when it ends. A call that nobody
 * said anything of ({@link #measure}) is not counted.
 *
 * <p>Threads: the event loop of the call; {@link #measure} may also be called by the worker that
 * decodes for it.
 */
public final class CallRecord {
  private final Telemetry telemetry;
  private final EntryPoint entryPoint;
  private final LongSupplier nanoTime;
  private final long begun;
  private long asked;
  private long answered;
  private boolean hasAsked;
  private @Nullable CallMeter meter;
  private @Nullable String model;

  /** Begins now. */
  public CallRecord(Telemetry telemetry, EntryPoint entryPoint, LongSupplier nanoTime) {
    this.telemetry = telemetry;
    this.entryPoint = entryPoint;
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
  }

  /**
   * Says what the call asks for.
   *
   * @param model the name in the request, of a model that there is or not
   */
  public void measure(Api api, String model) {
    this.model = model;
    meter = telemetry.calls(api, entryPoint, model);
  }

  /** Returns the name in the request; null if it is not known yet. */
  public @Nullable String model() {
    return model;
  }

  /** Returns what carries the call. */
  public EntryPoint entryPoint() {
    return entryPoint;
  }

  /**
   * The call brought so many {@code tf.Example}s.
   *
   * @param model one that there is
   */
  public void examples(String model, long count) {
    telemetry.model(model).examples(count);
  }

  /** The model is asked now. */
  public void asked() {
    asked = nanoTime.getAsLong();
    hasAsked = true;
  }

  /** The model has answered. */
  public void answered() {
    answered = nanoTime.getAsLong();
  }

  /** The call ends with a failure. Later ends do not count. */
  public void failed(ErrorCode code) {
    CallMeter counting = meter;
    if (counting != null) {
      meter = null;
      counting.failed(code);
    }
  }

  /** The call ends well, unless it has failed. Later ends do not count. */
  public void succeeded() {
    CallMeter counting = meter;
    if (counting == null) {
      return;
    }
    meter = null;
    if (hasAsked) {
      counting.succeeded(begun, asked, answered, nanoTime.getAsLong());
    } else {
      counting.succeeded(begun, nanoTime.getAsLong());
    }
  }
}
