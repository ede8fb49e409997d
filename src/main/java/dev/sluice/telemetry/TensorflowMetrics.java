package dev.sluice.telemetry;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.HISTOGRAM;

import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Family;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.Distribution;
import dev.sluice.telemetry.meter.LoadMeters;
import dev.sluice.telemetry.meter.ModelMeter;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * TensorFlow Serving's metrics, by its names: of its own calls and those of the V1 paths. Models of
 * every format are in them, all under the one runtime that its dashboards ask for.
 *
 * @param telemetry what is shown
 */
record TensorflowMetrics(Telemetry telemetry) implements MetricSource {
  private static final String SERVING = ":tensorflow:serving:";
  private static final String SAVED_MODEL = ":tensorflow:cc:saved_model:";
  private static final String RUNTIME = "TF1";
  private static final double MICROS = 1e3;

  /**
   * MultiInference is counted neither here nor there, status and metadata over REST in both, and
   * over gRPC in neither.
   */
  private static final List<Api> APIS =
      List.of(
          Api.V1_PREDICT,
          Api.V1_CLASSIFY,
          Api.V1_REGRESS,
          Api.V1_MODEL,
          Api.TFS_PREDICT,
          Api.TFS_CLASSIFY,
          Api.TFS_REGRESS);

  /** TensorFlow Serving's operations that run a model, by any transport. */
  private static final Map<String, List<Api>> RUNS =
      Map.of(
          "Predict", List.of(Api.V1_PREDICT, Api.TFS_PREDICT),
          "Classify", List.of(Api.V1_CLASSIFY, Api.TFS_CLASSIFY),
          "Regress", List.of(Api.V1_REGRESS, Api.TFS_REGRESS));

  @Override
  public MetricNames names() {
    return MetricNames.TENSORFLOW;
  }

  @Override
  public void write(MetricsPage page) {
    Collection<ModelMeter> models = telemetry.models();
    requestCount(page, models);
    requestLatency(page, models);
    runtimeLatency(page, models);
    examples(page, models);
    batching(page);
    warmUps(page);
    requestLogs(page);
    loads(page);
    metadataIds(page);
  }

  private static void requestCount(MetricsPage page, Collection<ModelMeter> models) {
    Family counts = page.family(SERVING + "request_count", COUNTER, "Calls by status.");
    for (ModelMeter model : models) {
      List<CallMeter> calls = ApiCalls.of(model, APIS).stream().map(ApiCalls::meter).toList();
      StatusCounts.counts(calls)
          .forEach(
              (status, count) -> counts.add(count, "model_name", model.model(), "status", status));
    }
  }

  private static void requestLatency(MetricsPage page, Collection<ModelMeter> models) {
    Family latency =
        page.tensorflowFamily(
            SERVING + "request_latency", HISTOGRAM, "Microseconds of calls that succeeded.");
    for (ModelMeter model : models) {
      for (ApiCalls calls : ApiCalls.of(model, APIS)) {
        latency.add(
            calls.meter().whole(),
            MICROS,
            "model_name",
            model.model(),
            "API",
            calls.api().tensorflowLabel(),
            "entrypoint",
            calls.entryPoint().name());
      }
    }
  }

  private static void runtimeLatency(MetricsPage page, Collection<ModelMeter> models) {
    Family latency =
        page.tensorflowFamily(
            SERVING + "runtime_latency",
            HISTOGRAM,
            "Microseconds from asking the model to its answer, waiting included.");
    for (ModelMeter model : models) {
      new TreeMap<>(RUNS)
          .forEach((label, apis) -> {
            List<Distribution> times =
                ApiCalls.of(model, apis).stream().map(calls -> calls.meter().asking()).toList();
            if (!times.isEmpty()) {
              latency.add(
                  times,
                  Buckets.LATENCY,
                  MICROS,
                  "model_name",
                  model.model(),
                  "API",
                  label,
                  "runtime",
                  RUNTIME);
            }
          });
    }
  }

  private static void examples(MetricsPage page, Collection<ModelMeter> models) {
    List<ModelMeter> asked = models.stream().filter(model -> model.examples() > 0).toList();
    Family sizes =
        page.tensorflowFamily(SERVING + "request_example_counts", HISTOGRAM, "Examples a call.");
    for (ModelMeter model : asked) {
      sizes.add(model.exampleCounts(), 1, "model", model.model());
    }
    Family all = page.family(SERVING + "request_example_count_total", COUNTER, "Examples in all.");
    for (ModelMeter model : asked) {
      all.add(model.examples(), "model", model.model());
    }
  }

  private void batching(MetricsPage page) {
    Family waiting =
        page.tensorflowFamily(
            SERVING + "batching_session:queuing_latency",
            HISTOGRAM,
            "Microseconds that answered requests waited; the pool is the version's worker.");
    for (VersionMeter version : telemetry.versions()) {
      String pool = version.model().toString();
      waiting.add(version.waitingTimes(), Buckets.WAITING, MICROS, "thread_pool_name", pool);
    }
    long runs = telemetry.versions().stream().mapToLong(v -> v.statistics().executionCount()).sum();
    page.single(
        SERVING + "batching_session:wrapped_run_count",
        COUNTER,
        "Runs of the models that are loaded.",
        runs);
  }

  private void warmUps(MetricsPage page) {
    Family latency =
        page.tensorflowFamily(
            SERVING + "model_warmup_latency",
            HISTOGRAM,
            "Microseconds of replaying warm-up files.");
    telemetry
        .loads()
        .warmUps()
        .forEach((outcome, nanos) ->
            latency.add(nanos, MICROS, "model_path", outcome.path(), "status", outcome.status()));
    outcomes(
        page.family(SERVING + "model_warmup_records_read", COUNTER, "Records of warm-up files."),
        telemetry.loads().warmUpRecords());
  }

  private void requestLogs(MetricsPage page) {
    Family counts =
        page.family(SERVING + "request_log_count", COUNTER, "Requests of request logs.");
    telemetry
        .loads()
        .requestLogs()
        .forEach((outcome, count) ->
            counts.add(count.sum(), "model_name", outcome.path(), "status_code", outcome.status()));
  }

  /** There the value is a text, which Prometheus' format cannot have. */
  private void metadataIds(MetricsPage page) {
    var ids = telemetry.loads().metadataIds();
    if (!ids.isEmpty()) {
      Family family = page.family(SERVING + "mlmd_map", GAUGE, "Models with an ML metadata id.");
      ids.forEach(
          id -> family.add(0, "model_name", id.name(), "version", String.valueOf(id.version())));
    }
  }

  private void loads(MetricsPage page) {
    outcomes(
        page.family(SAVED_MODEL + "load_attempt_count", COUNTER, "Versions opened, or not."),
        telemetry.loads().attempts());
    Family latency = page.family(SAVED_MODEL + "load_latency", COUNTER, "Microseconds of opening.");
    telemetry
        .loads()
        .loadNanos()
        .forEach((path, nanos) -> latency.add(nanos.sum() / MICROS, "model_path", path));
  }

  private static void outcomes(Family family, Map<LoadMeters.Outcome, LongAdder> counts) {
    counts.forEach((outcome, count) ->
        family.add(count.sum(), "model_path", outcome.path(), "status", outcome.status()));
  }
}
