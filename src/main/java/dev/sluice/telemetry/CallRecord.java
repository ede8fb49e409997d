package dev.sluice.telemetry;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.RequestTrace;
import dev.sluice.telemetry.access.CallStages;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.Distribution.Exemplar;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.span.CallSpan;
import dev.sluice.telemetry.span.RequestSpans;
import dev.sluice.telemetry.trace.Tracer;
import java.util.function.Function;
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
  private @Nullable Api api;

  /** Null for most calls. */
  private @Nullable CallTrace trace;

  /** Of the call, for the access log and {@code Server-Timing}; null if they are not recorded. */
  private @Nullable CallStages stages;

  private boolean timing;

  /** True if it is of one request of a stream, which ends by itself. */
  private final boolean isPart;

  /** Whether its answer is written, or never will be. */
  private boolean isSent;

  /**
   * @param staged whether the access log wants its stages
   */
  public CallRecord(
      Telemetry telemetry, EntryPoint entryPoint, LongSupplier nanoTime, boolean staged) {
    this.telemetry = telemetry;
    this.entryPoint = entryPoint;
    this.nanoTime = nanoTime;
    this.begun = nanoTime.getAsLong();
    telemetry.load().arrived(begun);
    this.isPart = false;
    this.stages = staged ? new CallStages(begun) : null;
  }

  private CallRecord(CallRecord stream) {
    this.isPart = true;
    this.telemetry = stream.telemetry;
    this.entryPoint = stream.entryPoint;
    this.nanoTime = stream.nanoTime;
    this.begun = nanoTime.getAsLong();
    this.stages = stream.stages;
    if (stages != null) {
      stages.requestBegan(begun);
    }
  }

  /** Returns the record of one request of this stream, which begins now and is counted itself. */
  public CallRecord part() {
    var part = new CallRecord(this);
    CallSpan above = span();
    if (above != null) {
      part.trace().follow(above.below(part.begun));
    }
    return part;
  }

  /** Returns its stages; null if they are not recorded. */
  public @Nullable CallStages stages() {
    return stages;
  }

  /**
   * Records what the call requests.
   *
   * @param model the name in the request, of a model that there is or not
   */
  public void measure(Api api, String model) {
    this.model = model;
    if (stages != null) {
      stages.names(api, model);
    }
    this.api = api;
    meter = telemetry.calls(api, entryPoint, model);
  }

  /** Returns the name in the request; null if it is not known yet. */
  public @Nullable String model() {
    return model;
  }

  /**
   * Has the times of the call's stages recorded: {@link #serverTiming}. Before its body is read.
   */
  public void time() {
    timing = true;
    if (stages == null) {
      stages = new CallStages(begun);
    }
  }

  /**
   * Begins a span of the call, if it is to have one. Before its body is read.
   *
   * @param headers a header's value by its name
   */
  public void follow(Function<CharSequence, @Nullable String> headers) {
    RequestSpans spans = telemetry.spans();
    CallSpan sampled = spans == null ? null : spans.begin(headers, begun);
    if (sampled != null) {
      trace().follow(sampled);
      if (stages != null) {
        stages.traced(sampled.id().traceId());
      }
    }
  }

  /** Returns the span of the call; null for most. */
  public @Nullable CallSpan span() {
    return trace == null ? null : trace.span();
  }

  /** Has the call without a span: probes would hide what else there is. */
  public void forgetSpan() {
    if (trace != null) {
      trace.forgetSpan();
      if (stages != null) {
        stages.traced("");
      }
    }
  }

  /** Records that one message of a stream is sent. */
  public void message(int bytes) {
    CallSpan span = span();
    if (span != null) {
      span.sent(bytes, nanoTime.getAsLong());
    }
  }

  /** Returns the record of the call's streamed answer, which begins now. */
  public StreamRecord stream() {
    return new StreamRecord(nanoTime, begun, meter == null ? null : meter.messages());
  }

  /** Returns why a call with a span failed; null if it did not, or has none. */
  public @Nullable ErrorCode failure() {
    return trace == null ? null : trace.failure();
  }

  private CallTrace trace() {
    CallTrace known = trace;
    if (known == null) {
      known = new CallTrace(entryPoint, nanoTime, begun);
      trace = known;
    }
    return known;
  }

  /** Returns whether anything of the call is recorded besides its metrics. */
  public boolean isTraced() {
    return trace != null || stages != null;
  }

  /** Records that the body of the call is there. */
  public void received() {
    if (stages != null) {
      stages.received(nanoTime.getAsLong());
    }
    if (trace != null) {
      trace.received();
    }
  }

  /**
   * Returns the value of {@code Server-Timing} for an answer that is sent now; null if there is to
   * be none.
   */
  public @Nullable String serverTiming() {
    return timing && stages != null
        ? StageTimes.of(stages, nanoTime.getAsLong()).serverTiming()
        : null;
  }

  /** Returns what the call asks for; null if it is not known yet. */
  public @Nullable Api api() {
    return api;
  }

  /**
   * Has the call traced if Triton's settings sample it: its request is there. See {@link #traces}.
   *
   * @param name of the model in the request
   */
  public void sample(String name) {
    Tracer asked = telemetry.traces().tracer(name);
    if (asked != null) {
      boolean timed = trace != null && trace.isTimed();
      RequestTrace sampled = telemetry.traces().sample(asked, timed);
      if (sampled != null) {
        trace().sampled(asked, sampled);
      }
    }
  }

  /**
   * Has the call's request recorded if the call is traced. Before the model is asked.
   *
   * @param id the caller's name for it; empty if it gave none
   */
  public void traces(InferenceRequest request, String id) {
    if (trace != null) {
      trace.record(request, id);
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

  /** Records that the model is asked now, by requests of whose runs nothing is said. */
  public void asked() {
    asked = nanoTime.getAsLong();
    hasAsked = true;
    if (stages != null) {
      stages.asked(asked);
    }
    if (trace != null) {
      trace.asked(asked);
    }
  }

  /** Records that the model is asked now, by this request. Before it is handed over. */
  public void asked(InferenceRequest request) {
    traces(request, "");
    asked();
    if (stages != null) {
      stages.asked(request, asked);
    }
  }

  /** Records that the model has answered. */
  public void answered() {
    answered = nanoTime.getAsLong();
    if (stages != null) {
      stages.answered(answered);
    }
    if (trace != null) {
      trace.answered(answered, true);
    }
  }

  /** Records that the answer is written, or never will be. Once more does nothing. */
  public void sent() {
    if (isPart && !isSent && stages != null) {
      stages.requestEnded(nanoTime.getAsLong());
    }
    isSent = true;
    if (trace != null) {
      trace.sent(telemetry.traces());
    }
  }

  private void sending() {
    if (stages != null && !isPart) {
      stages.sending(nanoTime.getAsLong());
    }
    if (trace != null) {
      trace.sending();
    }
  }

  /** Records that the call ends with a failure. Later ends do not count. */
  public void failed(ErrorCode code) {
    if (stages != null) {
      stages.failed(code);
    }
    if (trace != null) {
      trace.failed(code);
    }
    sending();
    CallMeter counting = meter;
    if (counting != null) {
      meter = null;
      counting.failed(code);
    }
  }

  /** Records that the call ends well, unless it has failed. Later ends do not count. */
  public void succeeded() {
    sending();
    CallMeter counting = meter;
    if (counting == null) {
      return;
    }
    meter = null;
    long ended = nanoTime.getAsLong();
    if (hasAsked) {
      counting.succeeded(begun, asked, answered, ended);
    } else {
      counting.succeeded(begun, ended);
    }
    CallSpan sampled = span();
    if (sampled != null) {
      counting.keep(new Exemplar(sampled.id(), ended - begun, telemetry.epochMillis()));
    }
  }
}
