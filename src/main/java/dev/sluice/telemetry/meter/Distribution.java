package dev.sluice.telemetry.meter;

import dev.sluice.inference.RequestTrace;
import org.jspecify.annotations.Nullable;

/** The distribution of values over buckets, as the page shows it. */
public interface Distribution {
  /**
   * One request that a bucket counted, by its span: it leads from a chart to a trace.
   *
   * @param value what was counted
   * @param epochMillis when it was counted, in milliseconds since 1970
   */
  record Exemplar(RequestTrace.SpanId span, long value, long epochMillis) {}

  /** Returns the upper bounds to which the counts belong. */
  Buckets buckets();

  /** Values in one bucket alone. */
  long count(int bucket);

  /** Returns all values together. */
  long sum();

  /** Returns the last request with a span that a bucket counted; null if there was none. */
  default @Nullable Exemplar exemplar(int bucket) {
    return null;
  }
}
