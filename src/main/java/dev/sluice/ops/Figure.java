package dev.sluice.ops;

import dev.sluice.telemetry.CallTotals;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;

/**
 * A figure that the console shows over time, of the server or of a model. NaN where there was
 * nothing to measure.
 */
enum Figure {
  REQUESTS_PER_SECOND((from, to) -> calls(from, to).calls() * 1e9 / nanos(from, to)),
  FAILED_PERCENT((from, to) ->
      calls(from, to).calls() == 0 ? Double.NaN : 100 * calls(from, to).failedShare()),
  P50_MS((from, to) -> quantileMillis(from, to, 0.5)),
  P99_MS((from, to) -> quantileMillis(from, to, 0.99)),
  ROWS_PER_RUN((from, to) -> to.runs().meanRowsSince(from.runs())),
  QUEUED(true, (_, to) -> to.runs().waiting()),
  PROCESSOR_PERCENT(
      (from, to) -> 100 * (to.processorNanos() - from.processorNanos()) / nanos(from, to)),
  RESIDENT_BYTES(true, (_, to) -> to.residentBytes()),
  HEAP_BYTES(true, (_, to) -> to.heapBytes()),
  LAG_MS(true, (_, to) -> 1e3 * to.lagSeconds());

  private static final Set<Figure> OF_MODELS = EnumSet.range(REQUESTS_PER_SECOND, QUEUED);

  private final boolean gauge;

  @SuppressWarnings("ImmutableEnumChecker") // Functions without state.
  private final ToDoubleBiFunction<Reading, Reading> between;

  Figure(ToDoubleBiFunction<Reading, Reading> between) {
    this(false, between);
  }

  Figure(boolean gauge, ToDoubleBiFunction<Reading, Reading> between) {
    this.gauge = gauge;
    this.between = between;
  }

  /** Returns the figures of the server, all that there are. */
  static Set<Figure> ofServer() {
    return EnumSet.allOf(Figure.class);
  }

  /** Returns the figures that a model has too: those that are not the process's. */
  static Set<Figure> ofModels() {
    return EnumSet.copyOf(OF_MODELS);
  }

  /** Returns the figure of the time between two readings. */
  double between(Reading from, Reading to) {
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

  private static CallTotals calls(Reading from, Reading to) {
    return to.calls().since(from.calls());
  }

  private static double nanos(Reading from, Reading to) {
    return Math.max(1, to.nanos() - from.nanos());
  }

  private static double quantileMillis(Reading from, Reading to, double share) {
    CallTotals calls = calls(from, to);
    return calls.succeeded() == 0 ? Double.NaN : calls.quantileNanos(share) / 1e6;
  }
}
