package dev.sluice.telemetry;

import static dev.sluice.telemetry.exposition.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.GAUGE;
import static dev.sluice.telemetry.exposition.MetricsPage.Kind.HISTOGRAM;

import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Family;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.telemetry.meter.Buckets;
import dev.sluice.telemetry.meter.CallMeter;
import dev.sluice.telemetry.meter.EntryPoint;
import dev.sluice.telemetry.meter.FailureReason;
import dev.sluice.telemetry.meter.ModelMeter;
import dev.sluice.telemetry.meter.ModelStatistics;
import dev.sluice.telemetry.meter.SessionCondition;
import dev.sluice.telemetry.meter.VersionMeter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

/**
 * Sluice's own metrics of calls: of all protocols, in one form.
 *
 * @param telemetry what is shown
 */
record CallMetrics(Telemetry telemetry) implements MetricSource {
  private static final double SECONDS = 1e9;
  private static final List<Api> ALL = List.of(Api.values());

  @Override
  public void write(MetricsPage page) {
    Collection<ModelMeter> models = telemetry.models();
    Family counts = page.family("sluice_requests_total", COUNTER, "Calls by status.");
    for (ModelMeter model : models) {
      for (ApiCalls calls : ApiCalls.of(model, ALL)) {
        StatusCounts.counts(List.of(calls.meter()))
            .forEach((status, count) -> counts.add(count, labels(model, calls, "status", status)));
      }
    }
    Family times =
        page.family("sluice_request_seconds", HISTOGRAM, "Time of calls that succeeded.");
    for (ModelMeter model : models) {
      for (ApiCalls calls : ApiCalls.of(model, ALL)) {
        times.add(calls.meter().whole(), SECONDS, labels(model, calls));
      }
    }
    streams(page, models);
    queues(page);
    caches(page);
    tokens(page);
    waiting(page);
    runs(page);
    statistics(page);
    signatures(page);
    workers(page);
    breakers(page);
    sessions(page);
  }

  private static void streams(MetricsPage page, Collection<ModelMeter> models) {
    Family open = page.family("sluice_streams_open", GAUGE, "Streamed answers that go on.");
    eachStream(models, (messages, labels) -> open.add(messages.open(), labels));
    Family first =
        page.family(
            "sluice_stream_first_message_seconds",
            HISTOGRAM,
            "From the beginning of a call to the first message of its streamed answer.");
    eachStream(models, (messages, labels) -> first.add(messages.first(), SECONDS, labels));
    Family between =
        page.family(
            "sluice_stream_message_interval_seconds",
            HISTOGRAM,
            "From one message of a streamed answer to the next.");
    eachStream(models, (messages, labels) -> between.add(messages.between(), SECONDS, labels));
  }

  private static void eachStream(
      Collection<ModelMeter> models, BiConsumer<CallMeter.Messages, String[]> family) {
    for (ModelMeter model : models) {
      for (ApiCalls calls : ApiCalls.of(model, ALL)) {
        CallMeter.Messages messages = calls.meter().messagesSoFar();
        if (messages != null) {
          family.accept(messages, labels(model, calls));
        }
      }
    }
  }

  /** Shows one figure of each version. */
  private void each(
      MetricsPage page,
      String name,
      Kind kind,
      String help,
      ToDoubleFunction<VersionMeter> figure) {
    Family family = page.family(name, kind, help);
    for (VersionMeter version : telemetry.versions()) {
      family.add(figure.applyAsDouble(version), labels(version));
    }
  }

  private void sessions(MetricsPage page) {
    each(
        page,
        "sluice_model_session_restarts_total",
        COUNTER,
        "Sessions closed and opened again: their processes had ended, or their runs failed.",
        version -> version.sessions().stream().mapToLong(SessionCondition::restarts).sum());
    Family resident =
        page.family(
            "sluice_model_process_resident_bytes",
            GAUGE,
            "Memory of processes that run isolated models.");
    for (VersionMeter version : telemetry.versions()) {
      for (SessionCondition sessions : version.sessions()) {
        sessions
            .processes()
            .forEach((pid, bytes) -> resident.add(bytes, labels(version, "pid", pid.toString())));
      }
    }
  }

  private void breakers(MetricsPage page) {
    each(
        page,
        "sluice_model_breaker_state",
        GAUGE,
        "Circuit breaker: 0 closed, 1 half open, 2 open.",
        VersionMeter::breaker);
    each(
        page,
        "sluice_model_longest_run_seconds",
        GAUGE,
        "Time of the longest run under way.",
        version -> version.longestRunNanos() / SECONDS);
    each(
        page,
        "sluice_model_abandoned_runs",
        GAUGE,
        "Runs that go on although nothing waits for them.",
        VersionMeter::abandonedRuns);
  }

  private void workers(MetricsPage page) {
    each(
        page,
        "sluice_model_workers",
        GAUGE,
        "Workers: runs that may be under way at once.",
        VersionMeter::workers);
    each(
        page,
        "sluice_model_busy_workers",
        GAUGE,
        "Workers that are in a run.",
        VersionMeter::busyWorkers);
  }

  private void queues(MetricsPage page) {
    each(page, "sluice_queue_length", GAUGE, "Requests waiting.", VersionMeter::waiting);
    each(
        page,
        "sluice_refused_total",
        COUNTER,
        "Requests the model was too busy for.",
        version -> version.failures(FailureReason.REJECTED));
  }

  private void caches(MetricsPage page) {
    each(
        page,
        "sluice_stream_cache_bytes",
        GAUGE,
        "Memory reserved for what streams keep from step to step (stream.cache_memory).",
        VersionMeter::cacheBytes);
    each(
        page,
        "sluice_streams_waiting_for_cache",
        GAUGE,
        "Streams that wait for such memory.",
        VersionMeter::cacheWaiting);
    each(
        page,
        "sluice_stream_preemptions_total",
        COUNTER,
        "Streams that gave such memory up to one of a higher priority, each time.",
        VersionMeter::preemptions);
  }

  private void tokens(MetricsPage page) {
    Family prefixes =
        page.family(
            "sluice_stream_prefix_bytes",
            GAUGE,
            "KV caches of prompts that are kept for the next ones (stream.prefixes).");
    Family prompts =
        page.family(
            "sluice_prompt_tokens_total",
            COUNTER,
            "Tokens of prompts that were computed, and reused ones that were not.");
    Family generated =
        page.family(
            "sluice_generated_tokens_total",
            COUNTER,
            "Tokens that were generated, those that end a text among them.");
    for (VersionMeter version : telemetry.versions()) {
      version
          .tokens()
          .ifPresent(found -> {
            prefixes.add(found.keptBytes().getAsLong(), labels(version));
            prompts.add(found.computed().getAsLong(), labels(version, "source", "computed"));
            prompts.add(found.reused().getAsLong(), labels(version, "source", "reused"));
            generated.add(found.generated().getAsLong(), labels(version));
          });
    }
  }

  private void waiting(MetricsPage page) {
    Family family =
        page.family("sluice_queue_seconds", HISTOGRAM, "How long answered requests waited.");
    for (VersionMeter version : telemetry.versions()) {
      family.add(version.waitingTimes(), Buckets.WAITING, SECONDS, labels(version));
    }
  }

  private void runs(MetricsPage page) {
    Family family = page.family("sluice_compute_seconds", HISTOGRAM, "How long the model ran.");
    for (VersionMeter version : telemetry.versions()) {
      family.add(version.runLengths(), Buckets.LATENCY, SECONDS, labels(version));
    }
  }

  private void statistics(MetricsPage page) {
    Family runs = page.family("sluice_runs_total", COUNTER, "How often the model ran.");
    Family rows =
        page.family(
            "sluice_rows_total",
            COUNTER,
            "Rows of the requests that runs have answered: by the runs, how many one has.");
    Family cache =
        page.family(
            "sluice_response_cache_requests_total",
            COUNTER,
            "Requests that were answered from the response cache (hit), and that were not (miss).");
    Family load =
        page.family("sluice_model_load_seconds", GAUGE, "How long the version took to load.");
    for (VersionMeter version : telemetry.versions()) {
      ModelStatistics counted = version.statistics();
      runs.add(counted.executionCount(), labels(version));
      rows.add(counted.inferenceCount(), labels(version));
      cache.add(counted.requests().cacheHit().count(), labels(version, "result", "hit"));
      cache.add(counted.requests().cacheMiss().count(), labels(version, "result", "miss"));
      load.add(version.loadNanos() / SECONDS, labels(version));
    }
  }

  private void signatures(MetricsPage page) {
    Family requests =
        page.family("sluice_signature_requests_total", COUNTER, "Requests that runs answered.");
    Family seconds =
        page.family(
            "sluice_signature_compute_seconds_total", COUNTER, "Time that their runs took.");
    for (VersionMeter version : telemetry.versions()) {
      version
          .signatures()
          .forEach((name, times) -> {
            String[] labels = labels(version, "signature", name);
            requests.add(times.count(), labels);
            seconds.add(times.nanos() / SECONDS, labels);
          });
    }
  }

  private static String[] labels(VersionMeter version, String... more) {
    String[] labels = new String[4 + more.length];
    labels[0] = "model";
    labels[1] = version.model().name();
    labels[2] = "version";
    labels[3] = Long.toString(version.model().version());
    System.arraycopy(more, 0, labels, 4, more.length);
    return labels;
  }

  private static String[] labels(ModelMeter model, ApiCalls calls, String... more) {
    String[] labels = new String[8 + more.length];
    labels[0] = "protocol";
    labels[1] = calls.api().protocol();
    labels[2] = "api";
    labels[3] = calls.api().label().toLowerCase(Locale.ROOT);
    labels[4] = "transport";
    labels[5] = transport(calls.entryPoint());
    labels[6] = "model";
    labels[7] = model.model();
    System.arraycopy(more, 0, labels, 8, more.length);
    return labels;
  }

  private static String transport(EntryPoint entryPoint) {
    return switch (entryPoint) {
      case REST -> "http";
      case GRPC -> "grpc";
      case BRPC -> "brpc";
    };
  }
}
