package dev.sluice.telemetry;

import dev.sluice.inference.ModelId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which requests have their points in time written to the log: settings for all models, and for
 * single ones those that differ. They are Triton's, by their names there, and their values texts as
 * there (src/docs/reference/protocols/open-inference.md, trace settings). Any thread.
 */
public final class Traces {
  /** OFF or TIMESTAMPS. */
  public static final String LEVEL = "trace_level";

  /** Of so many requests to a model one is traced. */
  public static final String RATE = "trace_rate";

  /** So many more are traced; -1: without end. */
  public static final String COUNT = "trace_count";

  /** Kept only: a trace is in the log at once. */
  public static final String FREQUENCY = "log_frequency";

  private final Map<String, List<String>> start;

  private final ConcurrentMap<String, Tracer> tracers = new ConcurrentHashMap<>();

  // Guarded by this.
  private final Map<String, List<String>> common;
  private final Map<String, Map<String, List<String>>> own = new LinkedHashMap<>();

  private Traces(Map<String, List<String>> start) {
    this.start = start;
    this.common = new LinkedHashMap<>(start);
  }

  /** None until someone asks for them. */
  public static Traces off() {
    return starting("OFF", 1_000, -1, 0);
  }

  /**
   * What holds until someone changes it, and what settings fall back to.
   *
   * @param level value of {@link #LEVEL}
   * @param rate of {@link #RATE}
   * @param count of {@link #COUNT}
   * @param frequency of {@link #FREQUENCY}
   */
  public static Traces starting(String level, long rate, long count, long frequency) {
    return new Traces(
        Map.of(
            LEVEL,
            List.of(level),
            RATE,
            List.of(Long.toString(rate)),
            COUNT,
            List.of(Long.toString(count)),
            FREQUENCY,
            List.of(Long.toString(frequency))));
  }

  /** What traces the requests to a model. */
  Tracer tracer(ModelId model) {
    Tracer known = tracers.get(model.name());
    return known != null ? known : add(model.name());
  }

  private synchronized Tracer add(String model) {
    return tracers.computeIfAbsent(model, name -> new Tracer(settings(name)));
  }

  /** The settings of one model, or of all under the empty name. */
  public synchronized Map<String, List<String>> settings(String model) {
    Map<String, List<String>> all = new LinkedHashMap<>(common);
    all.putAll(own.getOrDefault(model, Map.of()));
    return Collections.unmodifiableMap(all);
  }

  /**
   * Changes settings.
   *
   * @param model one that there is, or empty for all
   * @param changes checked; an empty list falls back to the setting for all models, or to that of
   *     the start
   */
  public synchronized void change(String model, Map<String, List<String>> changes) {
    Map<String, List<String>> changed =
        model.isEmpty() ? common : own.computeIfAbsent(model, _ -> new LinkedHashMap<>());
    changes.forEach((name, values) -> {
      if (!values.isEmpty()) {
        changed.put(name, List.copyOf(values));
      } else if (model.isEmpty()) {
        changed.put(name, Objects.requireNonNull(start.get(name)));
      } else {
        changed.remove(name);
      }
    });
    tracers.forEach((name, tracer) -> {
      if (model.isEmpty() || model.equals(name)) {
        tracer.follow(settings(name));
      }
    });
  }
}
