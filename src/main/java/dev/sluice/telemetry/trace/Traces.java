package dev.sluice.telemetry.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Event;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Trace settings and output: which V2 requests are traced, and whether traces go to a file or to
 * the log. Settings for all models, and for single ones those that differ, have Triton's names and
 * values (src/docs/reference/protocols/open-inference.md, trace settings). Any thread.
 */
public final class Traces implements AutoCloseable {
  /** OFF, or one or both of TIMESTAMPS and TENSORS. */
  public static final String LEVEL = "trace_level";

  public static final String OFF = "OFF";
  public static final String TIMESTAMPS = "TIMESTAMPS";
  public static final String TENSORS = "TENSORS";

  /** Of so many requests one is traced. */
  public static final String RATE = "trace_rate";

  /** So many more are traced; -1: no limit. */
  public static final String COUNT = "trace_count";

  /** Number of traces of a file; 0: all are in one. */
  public static final String FREQUENCY = "log_frequency";

  /** The name of the settings of all models. */
  private static final String ALL = "";

  private static final long NO_TENSORS = 0;

  /**
   * The trace settings until a caller changes them, which are also the fallback.
   *
   * @param levels value of {@link #LEVEL}; empty: OFF
   * @param rate of {@link #RATE}
   * @param count of {@link #COUNT}
   * @param frequency of {@link #FREQUENCY}
   */
  public record Start(List<String> levels, long rate, long count, long frequency) {
    Map<String, List<String>> settings() {
      return Map.of(
          LEVEL,
          levels.isEmpty() ? List.of(OFF) : List.copyOf(levels),
          RATE,
          List.of(Long.toString(rate)),
          COUNT,
          List.of(Long.toString(count)),
          FREQUENCY,
          List.of(Long.toString(frequency)));
    }
  }

  private final Map<String, List<String>> start;
  private final @Nullable TraceWriter writer;
  private final String file;
  private final long maxBytes;
  private final LongSupplier nanoTime;
  private final AtomicLong ids = new AtomicLong();

  /** The settings that callers made: of all models, and by name. */
  @GuardedBy("this")
  private final Map<String, Map<String, List<String>>> asked = new LinkedHashMap<>();

  private volatile Tracer common;

  /** False as long as no settings ask for any traces. */
  private volatile boolean on;

  /** Of the models with settings of their own. */
  private volatile Map<String, Tracer> own = Map.of();

  private Traces(Start start, Optional<Path> file, long maxBytes, LongSupplier nanoTime) {
    this.start = start.settings();
    this.file = file.map(Path::toString).orElse("");
    this.writer = file.map(TraceWriter::new).orElse(null);
    this.maxBytes = maxBytes;
    this.nanoTime = nanoTime;
    this.common = new Tracer(this.start, maxBytes);
    this.on = common.isOn();
  }

  /** None by default; to the log once they are requested. */
  public static Traces off() {
    return toLog(new Start(List.of(), 1_000, -1, 0), System::nanoTime);
  }

  /** Traces to the log. */
  public static Traces toLog(Start start, LongSupplier nanoTime) {
    return new Traces(start, Optional.empty(), NO_TENSORS, nanoTime);
  }

  /**
   * Traces to a file, and to files whose names begin as its name does.
   *
   * @param maxBytes of tensors that one trace may hold
   */
  public static Traces toFile(Path file, long maxBytes, Start start, LongSupplier nanoTime) {
    return new Traces(start, Optional.of(file), maxBytes, nanoTime);
  }

  /** Returns the file that traces go to; empty for the log. */
  public String file() {
    return file;
  }

  /** Returns what picks the requests to a model, or null if none are picked. */
  public @Nullable Tracer tracer(String model) {
    if (!on) {
      return null;
    }
    Map<String, Tracer> named = own;
    Tracer tracer = named.isEmpty() ? common : named.getOrDefault(model, common);
    return tracer.isOn() ? tracer : null;
  }

  /**
   * Begins the trace of a request, if it is to have one.
   *
   * @param timed whether points are recorded for others, whatever the settings say
   */
  public @Nullable RequestTrace sample(Tracer tracer, boolean timed) {
    return tracer.sample(ids::incrementAndGet, nanoTime, timed);
  }

  /** Takes a trace that has ended. */
  public void collect(Tracer from, RequestTrace trace) {
    List<Event> events = from.wanted(trace.end());
    if (writer != null) {
      writer.append(from, events);
    } else {
      TraceLog.write(events);
    }
  }

  /** Returns the settings of one model, or of all under the empty name. */
  public synchronized Map<String, List<String>> settings(String model) {
    Map<String, List<String>> all = effective(model, asked);
    Tracer tracer = own.getOrDefault(model, common);
    all.put(COUNT, List.of(Long.toString(tracer.left())));
    return Collections.unmodifiableMap(all);
  }

  private Map<String, List<String>> effective(
      String model, Map<String, Map<String, List<String>>> wanted) {
    Map<String, List<String>> all = new LinkedHashMap<>(start);
    all.putAll(wanted.getOrDefault(ALL, Map.of()));
    all.putAll(wanted.getOrDefault(model, Map.of()));
    return all;
  }

  /**
   * Changes settings. What is collected by the settings before is written.
   *
   * @param model one that there is, or empty for all
   * @param changes each checked by itself; an empty list falls back to the setting for all models,
   *     or to that of the start
   * @throws InferenceException INVALID_ARGUMENT if no traces can be made so; nothing changes then
   */
  public synchronized void change(String model, Map<String, List<String>> changes) {
    Map<String, Map<String, List<String>>> wanted = new LinkedHashMap<>();
    asked.forEach((name, settings) -> wanted.put(name, remaining(name, settings)));
    Map<String, List<String>> changed = wanted.computeIfAbsent(model, _ -> new LinkedHashMap<>());
    changes.forEach((name, values) -> {
      if (values.isEmpty()) {
        changed.remove(name);
      } else {
        changed.put(name, List.copyOf(values));
      }
    });
    wanted.values().removeIf(Map::isEmpty);
    Tracer.require(effective(model, wanted), writer != null);
    if (model.equals(ALL)) {
      wanted.keySet().forEach(name -> Tracer.require(effective(name, wanted), writer != null));
    }
    asked.clear();
    asked.putAll(wanted);
    follow(model);
  }

  /** Returns the settings with the remaining count. */
  private Map<String, List<String>> remaining(String name, Map<String, List<String>> settings) {
    Map<String, List<String>> now = new LinkedHashMap<>(settings);
    Tracer tracer = name.equals(ALL) ? common : Objects.requireNonNull(own.get(name));
    now.computeIfPresent(COUNT, (_, _) -> List.of(Long.toString(tracer.left())));
    return now;
  }

  @GuardedBy("this")
  private void follow(String model) {
    if (model.equals(ALL)) {
      retire(common);
      common = new Tracer(effective(ALL, asked), maxBytes);
    }
    Map<String, Tracer> named = new HashMap<>();
    own.forEach((name, tracer) -> {
      if (model.equals(ALL) || model.equals(name)) {
        retire(tracer);
      } else {
        named.put(name, tracer);
      }
    });
    for (String name : asked.keySet()) {
      if (!name.equals(ALL) && !named.containsKey(name)) {
        named.put(name, new Tracer(effective(name, asked), maxBytes));
      }
    }
    own = Map.copyOf(named);
    on = common.isOn() || named.values().stream().anyMatch(Tracer::isOn);
  }

  private void retire(Tracer tracer) {
    if (writer != null) {
      writer.retire(tracer);
    }
  }

  /** Writes what was collected. Blocks. */
  @Override
  public synchronized void close() {
    if (writer != null) {
      retire(common);
      own.values().forEach(this::retire);
      writer.close();
    }
  }
}
