package dev.sluice.telemetry.span;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests have a span, and begins it. A request whose caller has a span has one if
 * the caller's is sampled; of the others, a part has. Any thread.
 *
 * <p>The decision comes before anything is made for the SDK, so that a request that is not sampled
 * costs a look at its headers and a random number. The SDK then keeps every span that it is given.
 *
 * @param tracer makes spans, all of which are kept
 * @param ratio the part of requests without a caller's span that is sampled, 0 to 1
 * @param parentBased whether the caller's decision counts; if not, all are sampled by the ratio
 * @param nanoTime the clock of calls
 * @param clock the time of the day
 */
public record RequestSpans(
    Tracer tracer, double ratio, boolean parentBased, LongSupplier nanoTime, InstantSource clock) {
  /**
   * Begins the span of a request; null if it is not sampled.
   *
   * @param headers a header's value by its name
   * @param begunNanos when the request began
   */
  public @Nullable CallSpan begin(
      Function<CharSequence, @Nullable String> headers, long begunNanos) {
    ParentContext parent = ParentContext.read(headers);
    Boolean wanted = parentBased ? parent.sampled() : null;
    boolean sampled = wanted != null ? wanted : ThreadLocalRandom.current().nextDouble() < ratio;
    if (!sampled) {
      return null;
    }
    long offset = offset();
    Span span =
        tracer
            .spanBuilder("request")
            .setParent(Context.root().with(Span.wrap(parent.span())))
            .setSpanKind(SpanKind.SERVER)
            .setStartTimestamp(begunNanos + offset, TimeUnit.NANOSECONDS)
            .startSpan();
    return new CallSpan(tracer, span, offset);
  }

  /** Returns the time of the day when the clock of calls was 0. */
  private long offset() {
    Instant now = clock.instant();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - nanoTime.getAsLong();
  }
}
