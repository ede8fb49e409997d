package dev.sluice.telemetry;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Point;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.span.CallSpan;
import dev.sluice.telemetry.span.SpanStages;
import dev.sluice.telemetry.trace.Tracer;
import dev.sluice.telemetry.trace.Traces;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of one call besides its metrics: when it reached which stage, for Triton's
 * traces and for spans. Most calls have none.
 *
 * <p>Threads: as {@link CallRecord}; the runs of its models are recorded by their workers.
 */
final class CallTrace {
  private static final RequestTrace.Scope STAGES = new RequestTrace.Scope(true, false, 0);

  private final EntryPoint entryPoint;
  private final LongSupplier nanoTime;
  private final long begun;
  private @Nullable Tracer tracer;
  private @Nullable RequestTrace trace;
  private @Nullable CallSpan span;
  private @Nullable ErrorCode failure;
  private long received;
  private long asked;
  private long answered;
  private boolean hasAsked;
  private boolean hasAnswered;
  private long sending;

  CallTrace(EntryPoint entryPoint, LongSupplier nanoTime, long begun) {
    this.entryPoint = entryPoint;
    this.nanoTime = nanoTime;
    this.begun = begun;
    this.received = begun;
  }

  private RequestTrace recordStages() {
    if (trace == null) {
      trace = RequestTrace.begin(STAGES, new AtomicLong()::incrementAndGet, nanoTime);
    }
    return trace;
  }

  /** The call has a span, which ends with it. */
  void follow(CallSpan sampled) {
    span = sampled;
    recordStages().belongsTo(sampled.id());
  }

  /** The span is never ended, and so it is not exported. */
  void forgetSpan() {
    span = null;
  }

  @Nullable CallSpan span() {
    return span;
  }

  @Nullable ErrorCode failure() {
    return failure;
  }

  /** The first failure counts. */
  void failed(ErrorCode code) {
    if (failure == null) {
      failure = code;
    }
  }

  /** Goes on as a trace in Triton's form: before the model is asked. */
  void sampled(Tracer from, RequestTrace sampled) {
    tracer = from;
    trace = sampled;
    if (span != null) {
      sampled.belongsTo(span.id());
    }
    boolean grpc = entryPoint == EntryPoint.GRPC;
    sampled.reach(grpc ? Point.GRPC_WAITREAD_START : Point.HTTP_RECV_START, begun);
    sampled.reach(grpc ? Point.GRPC_WAITREAD_END : Point.HTTP_RECV_END, nanoTime.getAsLong());
  }

  /** Returns whether points are recorded whatever Triton's settings say. */
  boolean isTimed() {
    return span != null;
  }

  void received() {
    received = nanoTime.getAsLong();
  }

  void record(InferenceRequest request, String id) {
    if (trace != null && request.trace() == null) {
      request.traceBy(trace, id);
    }
  }

  void asked(long now) {
    asked = now;
    hasAsked = true;
    reach(Point.REQUEST_START, now);
  }

  /** Only the first end of the model's work counts. */
  void answered(long now, boolean well) {
    if (hasAsked && !hasAnswered) {
      hasAnswered = true;
      answered = now;
      if (well) {
        reach(Point.INFER_RESPONSE_COMPLETE, now);
      }
      reach(Point.REQUEST_END, now);
    }
  }

  void sending() {
    if (sending == 0) {
      sending = nanoTime.getAsLong();
      answered(sending, false);
    }
  }

  private void endSpan(CallSpan ending, RequestTrace ended) {
    var stages =
        new SpanStages(
            begun,
            received,
            hasAsked ? asked : 0,
            hasAnswered ? answered : 0,
            sending,
            nanoTime.getAsLong());
    ending.end(stages, ended.events(), failure);
    span = null;
  }

  private void reach(Point point, long now) {
    if (trace != null) {
      trace.reach(point, now);
    }
  }

  /** The answer is written, or never will be: what was recorded is kept where it is wanted. */
  void sent(Traces traces) {
    RequestTrace ended = trace;
    if (ended == null) {
      return;
    }
    sending();
    if (span != null) {
      endSpan(span, ended);
    }
    Tracer from = tracer;
    if (from != null) {
      boolean grpc = entryPoint == EntryPoint.GRPC;
      ended.reach(grpc ? Point.GRPC_SEND_START : Point.HTTP_SEND_START, sending);
      ended.reach(grpc ? Point.GRPC_SEND_END : Point.HTTP_SEND_END, nanoTime.getAsLong());
      traces.collect(from, ended);
    }
    trace = null;
  }
}
