package dev.sluice.ops;

import dev.sluice.telemetry.CallTotals;
import java.util.Locale;
import java.util.function.ToDoubleBiFunction;

/**
 * A figure of the server that the console shows over time. NaN where there was nothing to measure.
 */
enum ServerFigure {
  REQUESTS_PER_SECOND((from, to) -> calls(from, to).calls() * 1e9 / nanos(from, to)),
  FAILED_PERCENT((from, to) ->
      calls(from, to).calls() == 0 ? Double.NaN : 100 * calls(from, to).failedShare()),
  P50_MS((from, to) -> quantileMillis(from, to, 0.5)),
  P99_MS((from, to) -> quantileMillis(from, to, 0.99)),
  ROWS_PER_RUN((from, to) -> to.runs().meanRowsSince(from.runs())),
  PROCESSOR_PERCENT(
      (from, to) -> 100 * (to.processorNanos() - from.processorNanos()) / nanos(from, to)),
  QUEUED(true, (_, to) -> to.runs().waiting()),
  RESIDENT_BYTES(true, (_, to) -> to.residentBytes()),
  HEAP_BYTES(true, (_, to) -> to.heapBytes()),
  LAG_MS(true, (_, to) -> 1e3 * to.lagSeconds());

  private final boolean gauge;

  @SuppressWarnings("ImmutableEnumChecker") // Functions without state.
  private final ToDoubleBiFunction<ServerReading, ServerReading> between;

  ServerFigure(ToDoubleBiFunction<ServerReading, ServerReading> between) {
    this(false, between);
  }

  ServerFigure(boolean gauge, ToDoubleBiFunction<ServerReading, ServerReading> between) {
    this.gauge = gauge;
    this.between = between;
  }

  /** Returns the figure of the time between two readings. */
  double between(ServerReading from, ServerReading to) {
    return between.applyAsDouble(from, to);
  }

  /**
   * Returns whether it says how much there is at a moment, so that a longer time shows the most.
   */
  boolean isGauge() {
    return gauge;
  }

  /** Returns its key in JSON. */
  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static CallTotals calls(ServerReading from, ServerReading to) {
    return to.calls().since(from.calls());
  }

  private static double nanos(ServerReading from, ServerReading to) {
    return Math.max(1, to.nanos() - from.nanos());
  }

  private static double quantileMillis(ServerReading from, ServerReading to, double share) {
    CallTotals calls = calls(from, to);
    return calls.succeeded() == 0 ? Double.NaN : calls.quantileNanos(share) / 1e6;
  }
}
