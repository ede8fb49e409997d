package dev.sluice.telemetry.trace;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Event;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Picks the requests that are traced by one set of settings: that of all models, or of one. Other
 * settings are another tracer. Any thread.
 */
public final class Tracer {
  private final RequestTrace.Scope scope;
  private final long every;
  private final long frequency;
  private final boolean limited;
  private final AtomicLong left;
  private final AtomicLong seen = new AtomicLong();
  private final AtomicLong created = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean retired;

  /**
   * @param settings checked by {@link #require}
   * @param maxBytes of tensors that one trace may hold
   */
  Tracer(Map<String, List<String>> settings, long maxBytes) {
    List<String> levels = settings.getOrDefault(Traces.LEVEL, List.of());
    this.scope =
        new RequestTrace.Scope(
            levels.contains(Traces.TIMESTAMPS), levels.contains(Traces.TENSORS), maxBytes);
    boolean on = scope.timestamps() || scope.tensors();
    this.every = on ? number(settings, Traces.RATE) : 0;
    this.left = new AtomicLong(number(settings, Traces.COUNT));
    this.limited = left.get() >= 0;
    this.frequency = number(settings, Traces.FREQUENCY);
  }

  /**
   * Requires that traces can be made by these settings.
   *
   * @param toFile whether traces go to a file
   * @throws InferenceException INVALID_ARGUMENT
   */
  static void require(Map<String, List<String>> settings, boolean toFile) {
    List<String> levels = settings.getOrDefault(Traces.LEVEL, List.of());
    if (levels.contains(Traces.OFF)) {
      return;
    }
    if (number(settings, Traces.RATE) == 0) {
      throw InferenceException.invalid(
          "Attempting to set invalid trace setting :sample rate must be non-zero");
    }
    if (levels.contains(Traces.TENSORS) && !toFile) {
      throw InferenceException.invalid(
          "Attempting to set invalid trace setting :trace file name is not given; tensors are not"
              + " written to the log");
    }
  }

  private static long number(Map<String, List<String>> settings, String name) {
    return Long.parseLong(settings.getOrDefault(name, List.of("0")).getFirst());
  }

  /** Returns whether some request may be sampled. */
  boolean isOn() {
    return every > 0 && left.get() != 0;
  }

  /**
   * Returns a recording for the request that has come just now, or null if it is not sampled.
   *
   * @param timed whether points are recorded for others, whatever the settings say
   */
  @Nullable RequestTrace sample(LongSupplier ids, LongSupplier nanoTime, boolean timed) {
    if (every == 0 || left.get() == 0 || seen.incrementAndGet() % every != 0) {
      return null;
    }
    if (left.getAndUpdate(count -> count > 0 ? count - 1 : count) == 0) {
      return null;
    }
    created.incrementAndGet();
    return RequestTrace.begin(
        timed ? new RequestTrace.Scope(true, scope.tensors(), scope.maxBytes()) : scope,
        ids,
        nanoTime);
  }

  /** Returns what of a recording the settings ask for. */
  List<Event> wanted(List<Event> events) {
    return events.stream()
        .filter(event -> !(event instanceof Event.Ran || event instanceof Event.Delayed))
        .filter(event -> scope.timestamps() || !(event instanceof Event.Reached))
        .toList();
  }

  /** Returns how many more are traced; negative: no limit. */
  long left() {
    return left.get();
  }

  /** Returns whether there is a limit of how many are traced. */
  boolean isLimited() {
    return limited;
  }

  /** Counts a trace that is not written, since too many wait. Any thread. */
  void drop() {
    dropped.incrementAndGet();
  }

  /** Returns whether no more come after so many. */
  boolean endsAfter(long collected) {
    return left.get() == 0 && collected + dropped.get() >= created.get();
  }

  /** Other settings hold from now on. */
  void retire() {
    retired = true;
  }

  /** Returns whether other settings hold: traces that end now are the last. */
  boolean isRetired() {
    return retired;
  }

  /** Returns of how many traces a file is made; 0 for one file. */
  long frequency() {
    return frequency;
  }
}
