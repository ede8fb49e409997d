package dev.sluice.telemetry.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the span of the caller from the headers of a request: {@code traceparent} and {@code
 * tracestate} (W3C Trace Context), or else B3's, in one header or in several
 * (github.com/openzipkin/b3-propagation). What is not valid counts as absent. Any thread.
 *
 * @param span the caller's; an invalid one if there is none
 * @param sampled whether the caller wants the request sampled; null if it leaves that open
 */
record ParentContext(SpanContext span, @Nullable Boolean sampled) {
  private static final ParentContext NONE = new ParentContext(SpanContext.getInvalid(), null);
  private static final int SHORT_TRACE_ID = 16;

  /** Trace id, span id, and the sampling state if there is one. */
  private static final int MOST_PARTS = 4;

  /** What W3C Trace Context, section 3.3.1.5, has everyone pass on at least. */
  private static final int LONGEST_STATE = 512;

  private static final TextMapGetter<Function<CharSequence, @Nullable String>> HEADERS =
      (headers, key) -> headers == null ? null : bounded(key, headers.apply(key));

  /**
   * Reads what the caller says.
   *
   * @param headers a header's value by its name
   */
  static ParentContext read(Function<CharSequence, @Nullable String> headers) {
    if (headers.apply("traceparent") != null) {
      Context read =
          W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, HEADERS);
      SpanContext parent = Span.fromContext(read).getSpanContext();
      if (parent.isValid()) {
        return new ParentContext(parent, parent.isSampled());
      }
    }
    String single = headers.apply("b3");
    return single == null ? severalHeaders(headers) : singleHeader(single);
  }

  private static @Nullable String bounded(String key, @Nullable String value) {
    return value != null && key.equals("tracestate") && value.length() > LONGEST_STATE
        ? null
        : value;
  }

  /** A caller without a span may say no more than whether there is to be one. */
  private static ParentContext singleHeader(String b3) {
    String[] parts = b3.split("-", MOST_PARTS);
    return parts.length < 2
        ? new ParentContext(SpanContext.getInvalid(), decision(b3, null))
        : context(parts[0], parts[1], parts.length == 2 ? null : parts[2], null);
  }

  private static ParentContext severalHeaders(Function<CharSequence, @Nullable String> headers) {
    String traceId = headers.apply("x-b3-traceid");
    String spanId = traceId == null ? null : headers.apply("x-b3-spanid");
    String sampled = headers.apply("x-b3-sampled");
    String flags = headers.apply("x-b3-flags");
    return traceId == null || spanId == null
        ? new ParentContext(SpanContext.getInvalid(), decision(sampled, flags))
        : context(traceId, spanId, sampled, flags);
  }

  /** Returns what B3 says of sampling; null if it leaves that open. */
  private static @Nullable Boolean decision(@Nullable String sampled, @Nullable String flags) {
    if ("1".equals(flags)) {
      return true;
    }
    return switch (sampled) {
      case "1", "true", "d" -> true;
      case "0", "false" -> false;
      case null, default -> null;
    };
  }

  /** A caller that leaves sampling open has decided nothing: the trace goes on if ours does. */
  private static ParentContext context(
      String traceId, String spanId, @Nullable String sampled, @Nullable String flags) {
    String trace = traceId.toLowerCase(Locale.ROOT);
    String span = spanId.toLowerCase(Locale.ROOT);
    if (trace.length() == SHORT_TRACE_ID) {
      trace = "0".repeat(SHORT_TRACE_ID) + trace;
    }
    if (!TraceId.isValid(trace) || !SpanId.isValid(span)) {
      return NONE;
    }
    boolean wanted = !Boolean.FALSE.equals(decision(sampled, flags));
    TraceFlags state = wanted ? TraceFlags.getSampled() : TraceFlags.getDefault();
    return new ParentContext(
        SpanContext.createFromRemoteParent(trace, span, state, TraceState.getDefault()), wanted);
  }
}
