package dev.sluice.telemetry;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;

import dev.sluice.telemetry.exposition.MetricNames;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.load.LoadReporter;

/**
 * What an inference gateway's endpoint picker reads of a server, by the model server protocol of
 * the Gateway API inference extension (proposal 003): the total of queued requests, the total of
 * running ones, and how much of the cache is used. Each is one series for the whole server, since
 * pickers read one. KV caches of generation loops lie in native memory, which the memory budget
 * bounds together with everything else, so its use stands for that of a cache.
 */
record LoadMetrics(LoadReporter load, MetricNames names) implements MetricSource {
  private static final String TYPE = "request_type";

  /** By names of Sluice's own. */
  static MetricSource ofSluice(LoadReporter load) {
    return new LoadMetrics(load, MetricNames.SLUICE);
  }

  /** By the names of Triton with TensorRT-LLM, which pickers know without a setting. */
  static MetricSource ofTriton(LoadReporter load) {
    return new LoadMetrics(load, MetricNames.TRITON);
  }

  @Override
  public void write(MetricsPage page) {
    if (names == MetricNames.TRITON) {
      writeTriton(page);
      return;
    }
    page.single(
        "sluice_requests_waiting", GAUGE, "Requests that wait, of all models.", load.waiting());
    page.single(
        "sluice_requests_running",
        GAUGE,
        "Requests and streams under way that do not wait, of all models.",
        load.running());
    page.single(
        "sluice_memory_utilization",
        GAUGE,
        "Share of the memory budget that is held, KV caches among it, from 0 to 1.",
        load.memory());
  }

  private void writeTriton(MetricsPage page) {
    page.family("nv_trt_llm_request_metrics", GAUGE, "Requests of all models, by what they do.")
        .add(load.waiting(), TYPE, "waiting")
        .add(load.running(), TYPE, "scheduled");
    page.family(
            "nv_trt_llm_kv_cache_block_metrics",
            GAUGE,
            "Share of the memory budget that is held, KV caches among it, from 0 to 1.")
        .add(load.memory(), "kv_cache_block_type", "fraction");
  }
}
