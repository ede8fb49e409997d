package dev.sluice.telemetry;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.HISTOGRAM;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.SUMMARY;

import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Family;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.LatencySummary;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.ModelStatistics.Times;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Triton's metrics, by its names: of every request to a loaded version, whichever protocol it came
 * by. They begin at 0 when the version is loaded.
 *
 * @param telemetry what is shown
 * @param forms the forms in which latencies are shown
 */
record TritonMetrics(Telemetry telemetry, LatencyForms forms) implements MetricSource {
  private static final double MICROS = 1e3;
  private static final double MILLIS = 1e6;
  private static final double SECONDS = 1e9;

  /** One loaded version as it is now. */
  private record Shown(VersionMeter meter, ModelStatistics now) {}

  @Override
  public MetricNames names() {
    return MetricNames.TRITON;
  }

  @Override
  public void write(MetricsPage page) {
    List<Shown> versions =
        telemetry.versions().stream().map(meter -> new Shown(meter, meter.statistics())).toList();
    new Writer(page, versions, forms).write();
  }

  private record Writer(MetricsPage page, List<Shown> versions, LatencyForms forms) {
    void write() {
      requests();
      if (forms.counters()) {
        counters();
      }
      if (forms.histograms()) {
        firstResponses();
      }
      if (!forms.quantiles().isEmpty()) {
        summaries();
      }
    }

    private void requests() {
      count(
          "nv_inference_request_success",
          "Requests answered.",
          v -> v.now.requests().success().count());
      failures();
      count("nv_inference_count", "Rows of requests that ran.", v -> v.now.inferenceCount());
      count("nv_inference_exec_count", "Runs of the model.", v -> v.now.executionCount());
      gauge("nv_inference_pending_request_count", "Requests waiting.", v -> v.meter.waiting());
      gauge(
          "nv_model_load_duration_secs",
          "Seconds it took to load and warm up.",
          v -> v.meter.loadNanos() / SECONDS);
    }

    private void counters() {
      micros("nv_inference_request_duration_us", "Whole time", v -> v.now.requests().success());
      micros("nv_inference_queue_duration_us", "Waiting", v -> v.now.requests().queue());
      micros(
          "nv_inference_compute_input_duration_us",
          "Joining",
          v -> v.now.requests().computeInput());
      micros(
          "nv_inference_compute_infer_duration_us",
          "Running",
          v -> v.now.requests().computeInfer());
      micros(
          "nv_inference_compute_output_duration_us",
          "Parting",
          v -> v.now.requests().computeOutput());
      count(
          "nv_cache_num_hits_per_model",
          "Answers from a cache.",
          v -> v.now.requests().cacheHit().count());
      count(
          "nv_cache_num_misses_per_model",
          "Not in a cache.",
          v -> v.now.requests().cacheMiss().count());
      micros(
          "nv_cache_hit_duration_per_model",
          "Finding in a cache",
          v -> v.now.requests().cacheHit());
      micros(
          "nv_cache_miss_duration_per_model", "Filling a cache", v -> v.now.requests().cacheMiss());
    }

    /** Of models that may answer a request any number of times; others have no streams. */
    private void firstResponses() {
      Family family =
          page.family(
              "nv_inference_first_response_histogram_ms",
              HISTOGRAM,
              "Time to a stream's first response, in milliseconds.");
      for (Shown version : versions) {
        if (!version.now.responses().isEmpty()) {
          family.add(version.meter.responses().firstResponses(), MILLIS, labels(version));
        }
      }
    }

    private void summaries() {
      summary("nv_inference_request_summary_us", "Whole time", s -> s.request);
      summary("nv_inference_queue_summary_us", "Waiting", s -> s.queue);
      summary("nv_inference_compute_input_summary_us", "Joining", s -> s.input);
      summary("nv_inference_compute_infer_summary_us", "Running", s -> s.infer);
      summary("nv_inference_compute_output_summary_us", "Parting", s -> s.output);
      summary("nv_cache_hit_summary_per_model", "Finding in a cache", s -> s.cacheHit);
      summary("nv_cache_miss_summary_per_model", "Filling a cache", s -> s.cacheMiss);
    }

    private void summary(
        String name, String what, Function<LatencySummary.OfVersion, LatencySummary> which) {
      Family family = page.family(name, SUMMARY, what + ", microseconds of the last minute.");
      List<Double> quantiles = forms.quantiles().stream().sorted().toList();
      for (Shown version : versions) {
        LatencySummary.OfVersion all = version.meter.summaries();
        if (all != null) {
          LatencySummary.Shown shown = which.apply(all).shown(quantiles, version.meter.now());
          if (shown.count() > 0 || !ofCache(name)) {
            family.add(quantiles, shown, MICROS, labels(version));
          }
        }
      }
    }

    /** Versions without a cache have no such series. */
    private static boolean ofCache(String name) {
      return name.startsWith("nv_cache_");
    }

    private void failures() {
      Family family =
          page.family("nv_inference_request_failure", COUNTER, "Requests not answered.");
      for (Shown version : versions) {
        for (FailureReason reason : FailureReason.values()) {
          family.add(version.meter.failures(reason), labels(version, "reason", reason.name()));
        }
      }
    }

    private void count(String name, String help, ToDoubleFunction<Shown> value) {
      family(page.family(name, COUNTER, help), value);
    }

    private void gauge(String name, String help, ToDoubleFunction<Shown> value) {
      family(page.family(name, GAUGE, help), value);
    }

    private void micros(String name, String what, Function<Shown, Times> times) {
      count(name, what + ", summed microseconds.", v -> times.apply(v).nanos() / MICROS);
    }

    private void family(Family family, ToDoubleFunction<Shown> value) {
      for (Shown version : versions) {
        family.add(value.applyAsDouble(version), labels(version));
      }
    }

    /**
     * Returns the labels in alphabetical order, as Triton does: none sorts between model and
     * version.
     */
    private static String[] labels(Shown version, String... between) {
      String[] labels = new String[4 + between.length];
      labels[0] = "model";
      labels[1] = version.now.model().name();
      System.arraycopy(between, 0, labels, 2, between.length);
      labels[labels.length - 2] = "version";
      labels[labels.length - 1] = Long.toString(version.now.model().version());
      return labels;
    }
  }
}
