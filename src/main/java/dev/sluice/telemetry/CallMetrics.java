package dev.sluice.telemetry;

import static dev.sluice.telemetry.MetricsPage.Kind.COUNTER;
import static dev.sluice.telemetry.MetricsPage.Kind.HISTOGRAM;

import dev.sluice.telemetry.MetricsPage.Family;
import dev.sluice.telemetry.MetricsPage.Kind;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

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
      for (Calls calls : Calls.of(model, ALL)) {
        Status.counts(List.of(calls.meter()))
            .forEach((status, count) -> counts.add(count, labels(model, calls, "status", status)));
      }
    }
    Family times =
        page.family("sluice_request_seconds", HISTOGRAM, "Time of calls that succeeded.");
    for (ModelMeter model : models) {
      for (Calls calls : Calls.of(model, ALL)) {
        times.add(calls.meter().whole(), SECONDS, labels(model, calls));
      }
    }
    queues(page);
    waiting(page);
  }

  private void queues(MetricsPage page) {
    Family lengths = page.family("sluice_queue_length", Kind.GAUGE, "Requests waiting.");
    for (VersionMeter version : telemetry.versions()) {
      lengths.add(version.waiting(), labels(version));
    }
    Family refused =
        page.family("sluice_refused_total", COUNTER, "Requests the model was too busy for.");
    for (VersionMeter version : telemetry.versions()) {
      refused.add(version.failures(FailureReason.REJECTED), labels(version));
    }
  }

  private static String[] labels(VersionMeter version) {
    String number = Long.toString(version.model().version());
    return new String[] {"model", version.model().name(), "version", number};
  }

  private void waiting(MetricsPage page) {
    Family family =
        page.family("sluice_queue_seconds", HISTOGRAM, "How long answered requests waited.");
    for (VersionMeter version : telemetry.versions()) {
      family.add(version.waitingTimes(), Buckets.WAITING, SECONDS, labels(version));
    }
  }

  private static String[] labels(ModelMeter model, Calls calls, String... more) {
    String[] labels = new String[8 + more.length];
    labels[0] = "protocol";
    labels[1] = calls.api().protocol();
    labels[2] = "api";
    labels[3] = calls.api().label().toLowerCase(Locale.ROOT);
    labels[4] = "transport";
    labels[5] = calls.entryPoint() == EntryPoint.REST ? "http" : "grpc";
    labels[6] = "model";
    labels[7] = model.model();
    System.arraycopy(more, 0, labels, 8, more.length);
    return labels;
  }
}
