package dev.sluice.telemetry;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.health.Liveness;
import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricRegistries;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsFormat;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.load.LoadReporter;
import dev.sluice.telemetry.load.LoadReporting;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.meter.LatencySummary;
import dev.sluice.telemetry.meter.LoadMeters;
import dev.sluice.telemetry.meter.ModelMeter;
import dev.sluice.telemetry.meter.UnknownModelMeters;
import dev.sluice.telemetry.meter.VersionMeter;
import dev.sluice.telemetry.span.RequestSpans;
import dev.sluice.telemetry.trace.Traces;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All meters of a server, and the page that shows them. Any thread.
 *
 * <p>Recording takes no lock and allocates nothing once a meter exists; reading is slow and for
 * workers.
 */
public final class Telemetry {
  /** Models with meters of their own, those that are no longer there among them. */
  static final int MOST_MODELS = 10_000;

  private final LongSupplier nanoTime;
  private final InstantSource clock;
  private final ConcurrentMap<String, ModelMeter> models = new ConcurrentHashMap<>();
  private final ConcurrentMap<ModelId, VersionMeter> versions = new ConcurrentHashMap<>();
  private final LoadMeters loads = new LoadMeters();
  private final Traces traces;
  private final ServerTiming serverTiming;
  private final @Nullable RequestSpans spans;
  private final LatencyForms latencies;
  private final LoadReporter load;
  private final MetricRegistries registries = new MetricRegistries();

  private final Liveness liveness = new Liveness();
  private final UnknownModelMeters unknownModels = new UnknownModelMeters();

  /**
   * @param nanoTime the clock that runs are timed with
   * @param clock time of a model's last request
   */
  public Telemetry(LongSupplier nanoTime, InstantSource clock) {
    this(nanoTime, clock, Traces.off());
  }

  /**
   * @param traces which requests are traced
   */
  public Telemetry(LongSupplier nanoTime, InstantSource clock, Traces traces) {
    this(nanoTime, clock, traces, LatencyForms.COUNTERS);
  }

  /**
   * @param latencies the forms in which Triton's metrics show latencies
   */
  public Telemetry(
      LongSupplier nanoTime, InstantSource clock, Traces traces, LatencyForms latencies) {
    this(nanoTime, clock, traces, latencies, ServerTiming.REQUESTED, LoadReporting.REQUESTED, null);
  }

  /**
   * @param serverTiming the answers that tell how long each stage took
   * @param loadReporting the answers that tell how busy the server is
   * @param spans which requests have spans; null: none
   */
  public Telemetry(
      LongSupplier nanoTime,
      InstantSource clock,
      Traces traces,
      LatencyForms latencies,
      ServerTiming serverTiming,
      LoadReporting loadReporting,
      @Nullable RequestSpans spans) {
    this.spans = spans;
    this.serverTiming = serverTiming;
    this.latencies = latencies;
    this.nanoTime = nanoTime;
    this.clock = clock;
    this.traces = traces;
    this.load =
        new LoadReporter(loadReporting, versions::values, nanoTime, ServerClock.PROCESSOR_NANOS);
    registries.add(new TensorflowMetrics(this));
    registries.add(new TritonMetrics(this, latencies));
    registries.add(new KserveMetrics(this));
    registries.add(new CallMetrics(this));
    registries.add(new TensorMetrics());
    registries.add(LoadMetrics.ofSluice(load));
    registries.add(LoadMetrics.ofTriton(load));
  }

  /** Meters that belong to no server: for tools and tests that do not look at them. */
  public static Telemetry unseen() {
    return new Telemetry(ServerClock.NANO_TIME, InstantSource.system());
  }

  /** Returns the check of whether the process can go on serving. */
  public Liveness liveness() {
    return liveness;
  }

  /**
   * Returns the meter of a model that there is, by its name. Models beyond a cardinality limit
   * share one with unknown names, since callers that may load models can name any number of them.
   */
  public ModelMeter model(String name) {
    ModelMeter known = models.get(name);
    if (known != null) {
      return known;
    }
    return models.size() < MOST_MODELS
        ? models.computeIfAbsent(name, unknownModels::leave)
        : unknownModels.others();
  }

  CallMeter calls(Api api, EntryPoint entryPoint, String model) {
    ModelMeter known = models.get(model);
    return (known == null ? unknownModels.of(model) : known).calls(api, entryPoint);
  }

  /**
   * Returns a new meter for a version that is being loaded. It is not visible before it is
   * published.
   */
  public VersionMeter version(ModelId id) {
    model(id.name());
    return new VersionMeter(
        id,
        versions,
        nanoTime,
        clock,
        latencies.quantiles().isEmpty() ? null : new LatencySummary.OfVersion());
  }

  /** Returns the metrics of loading. */
  public LoadMeters loads() {
    return loads;
  }

  /** Returns the time of the day, in milliseconds since 1970. */
  long epochMillis() {
    return clock.millis();
  }

  /** Returns which requests have spans; null if none has. */
  @Nullable RequestSpans spans() {
    return spans;
  }

  /** Returns which answers tell how long each stage took. */
  public ServerTiming serverTiming() {
    return serverTiming;
  }

  /** Returns how busy the server is. */
  public LoadReporter load() {
    return load;
  }

  /** Returns the trace settings. */
  public Traces traces() {
    return traces;
  }

  /** Returns the meter of a version, or null if it is not loaded. */
  public @Nullable VersionMeter loaded(ModelId id) {
    return versions.get(id);
  }

  /** Returns the loaded versions, by name and number. */
  Collection<VersionMeter> versions() {
    var sorted = new ArrayList<>(versions.values());
    sorted.sort(
        Comparator.comparing((VersionMeter version) -> version.model().name())
            .thenComparingLong(version -> version.model().version()));
    return sorted;
  }

  /** Returns the models that there are or were, by name, and then names that no model has. */
  Collection<ModelMeter> models() {
    var sorted = new ArrayList<>(models.values());
    sorted.sort(Comparator.comparing(ModelMeter::model));
    sorted.addAll(unknownModels.all());
    return sorted;
  }

  /** Returns all calls so far, by the name that was asked; see {@link UnknownModelMeters}. */
  public Map<String, CallTotals> callTotals() {
    Map<String, CallTotals> totals = new LinkedHashMap<>();
    models().forEach(model -> totals.put(model.model(), CallTotals.of(model)));
    return totals;
  }

  /** Returns all runs so far of the versions that are loaded, and what waits, by model. */
  public Map<String, RunTotals> runTotals() {
    Map<String, RunTotals> totals = new HashMap<>();
    versions
        .values()
        .forEach(version ->
            totals.merge(version.model().name(), RunTotals.of(version), RunTotals::plus));
    return totals;
  }

  /** Returns the requests so far to each version that is loaded. */
  public Map<ModelId, RequestTotals> requestTotals() {
    Map<ModelId, RequestTotals> totals = new HashMap<>();
    versions.forEach((id, version) -> totals.put(id, RequestTotals.of(version)));
    return totals;
  }

  /** Puts more on the page. */
  public void add(MetricSource source) {
    registries.add(source);
  }

  /** Puts more on the page, by names of Sluice's own: what another registry has. */
  public void collect(MultiCollector collector) {
    registries.collect(collector);
  }

  /** Has meters of the process bound to Micrometer's registry, when the page is first asked for. */
  public void bind(Consumer<PrometheusMeterRegistry> meters) {
    registries.bind(meters);
  }

  /** Returns the page, in Prometheus' text format. Work for a worker: it may be long. */
  public String page() {
    byte[] page = page(EnumSet.allOf(MetricNames.class), MetricsFormat.PROMETHEUS);
    return new String(page, StandardCharsets.UTF_8);
  }

  /** Returns the page with some of the names alone, in a format. Likewise for a worker. */
  public byte[] page(Set<MetricNames> names, MetricsFormat format) {
    return registries.page(names, format);
  }

  /** Returns what is on the page by names of Sluice's own. Likewise for a worker. */
  public MetricSnapshots snapshots() {
    return registries.snapshots();
  }

  /** Returns a metric's name on the page, by the path that TensorFlow has it under inside. */
  public static String pageName(String path) {
    return MetricsPage.name(path);
  }

  /**
   * Returns the value of the first series of each counter and gauge by its name on the page, as
   * TensorFlow Serving's reload call reports it. Slow.
   */
  public Map<String, Long> firstValues() {
    return registries.firstValues();
  }
}
