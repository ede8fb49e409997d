package dev.sluice.telemetry.span;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.ErrorCode.Fault;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Event;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The span of one sampled request. Its stages are recorded as the request passes, and become spans
 * below it when it ends.
 *
 * <p>Threads: the event loop of the request.
 */
public final class CallSpan {
  /** Characters of a name or an attribute: thousands of spans may wait for the collector. */
  public static final int LONGEST_TEXT = 256;

  private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
  private static final AttributeKey<Long> SIZE = AttributeKey.longKey("sluice.message.size");

  private final Tracer tracer;

  private final Span span;
  private final long offset;

  CallSpan(Tracer tracer, Span span, long offset) {
    this.tracer = tracer;
    this.span = span;
    this.offset = offset;
  }

  /** Returns its name for spans that are linked to it. */
  public RequestTrace.SpanId id() {
    return new RequestTrace.SpanId(
        span.getSpanContext().getTraceId(), span.getSpanContext().getSpanId());
  }

  /** Begins the span of one request of a stream below the stream's. */
  public CallSpan below(long begunNanos) {
    Span child =
        tracer
            .spanBuilder("stream request")
            .setParent(Context.root().with(span))
            .setStartTimestamp(begunNanos + offset, TimeUnit.NANOSECONDS)
            .startSpan();
    return new CallSpan(tracer, child, offset);
  }

  /**
   * Says what the request is.
   *
   * @param name of the span, of few different ones
   * @param facts texts and whole numbers by the names of the semantic conventions
   */
  public void describe(String name, Map<String, Object> facts) {
    span.updateName(BoundedText.cut(name, LONGEST_TEXT));
    facts.forEach((key, value) -> {
      if (value instanceof Number number) {
        span.setAttribute(key, number.longValue());
      } else {
        span.setAttribute(key, value.toString());
      }
    });
  }

  /** Records that one message of a stream was sent. The SDK keeps the first 128. */
  public void sent(long bytes, long nanos) {
    span.addEvent("message sent", Attributes.of(SIZE, bytes), nanos + offset, TimeUnit.NANOSECONDS);
  }

  /**
   * Ends it.
   *
   * @param stages in their order, without gaps
   * @param events of the runs that were made for it
   * @param failure why it failed; null if it did not
   */
  public void end(SpanStages stages, List<Event> events, @Nullable ErrorCode failure) {
    new StageSpans(tracer, span, offset).write(stages, events);
    if (failure != null) {
      span.setAttribute(ERROR_TYPE, failure.name().toLowerCase(Locale.ROOT));
      if (failure.fault() != Fault.CALLER) {
        span.setStatus(StatusCode.ERROR);
      }
    }
    span.end(stages.sent() + offset, TimeUnit.NANOSECONDS);
  }
}
