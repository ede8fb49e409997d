package dev.sluice.telemetry;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Point;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.trace.Tracer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way: takes the times, and counts the call once, when it ends. A call that no
 * protocol handler said anything of ({@link #measure}) is not counted.
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
  private @Nullable Tracer tracer;
  private @Nullable RequestTrace trace;
  private boolean traceAnswered;
  private long sending;

  /** Begins now. */
  public CallRecord(Telemetry telemetry, EntryPoint entryPoint, LongSupplier nanoTime) {
    this.telemetry = telemetry;
    this.entryPoint = entryPoint;
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
  }

  /**
   * Records what the call requests.
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

  /**
   * Has the call traced if it is sampled: its request is there. See {@link #traces}.
   *
   * @param name of the model in the request
   */
  public void sample(String name) {
    Tracer asked = telemetry.traces().tracer(name);
    RequestTrace sampled = asked == null ? null : telemetry.traces().sample(asked);
    if (sampled != null) {
      tracer = asked;
      trace = sampled;
      boolean grpc = entryPoint == EntryPoint.GRPC;
      sampled.reach(grpc ? Point.GRPC_WAITREAD_START : Point.HTTP_RECV_START, begun);
      sampled.reach(grpc ? Point.GRPC_WAITREAD_END : Point.HTTP_RECV_END, nanoTime.getAsLong());
    }
  }

  /**
   * Has the call's request recorded if the call was sampled. Before the model is asked.
   *
   * @param id the caller's name for it; empty if it gave none
   */
  public void traces(InferenceRequest request, String id) {
    if (trace != null) {
      request.traceBy(trace, id);
    }
  }

  /** Returns when the call began. */
  public long begunNanos() {
    return begun;
  }

  /** Returns what carries the call. */
  public EntryPoint entryPoint() {
    return entryPoint;
  }

  /**
   * Records that the call brought so many {@code tf.Example}s.
   *
   * @param model one that there is
   */
  public void examples(String model, long count) {
    telemetry.model(model).examples(count);
  }

  /** Records that the model is asked now. */
  public void asked() {
    asked = nanoTime.getAsLong();
    hasAsked = true;
    if (trace != null) {
      trace.reach(Point.REQUEST_START, asked);
    }
  }

  /** Records that the model has answered. */
  public void answered() {
    answered = nanoTime.getAsLong();
    traceAnswered(answered, true);
  }

  private void traceAnswered(long now, boolean well) {
    if (trace != null && hasAsked && !traceAnswered) {
      traceAnswered = true;
      if (well) {
        trace.reach(Point.INFER_RESPONSE_COMPLETE, now);
      }
      trace.reach(Point.REQUEST_END, now);
    }
  }

  private void traceSending() {
    if (trace != null && sending == 0) {
      sending = nanoTime.getAsLong();
      traceAnswered(sending, false);
    }
  }

  /** Records that the answer is written, or never will be. Once more does nothing. */
  public void sent() {
    Tracer from = tracer;
    RequestTrace ended = trace;
    if (from != null && ended != null) {
      traceSending();
      boolean grpc = entryPoint == EntryPoint.GRPC;
      ended.reach(grpc ? Point.GRPC_SEND_START : Point.HTTP_SEND_START, sending);
      ended.reach(grpc ? Point.GRPC_SEND_END : Point.HTTP_SEND_END, nanoTime.getAsLong());
      trace = null;
      telemetry.traces().collect(from, ended);
    }
  }

  /** Records that the call ends with a failure. Later ends do not count. */
  public void failed(ErrorCode code) {
    traceSending();
    CallMeter counting = meter;
    if (counting != null) {
      meter = null;
      counting.failed(code);
    }
  }

  /** Records that the call ends well, unless it has failed. Later ends do not count. */
  public void succeeded() {
    traceSending();
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
