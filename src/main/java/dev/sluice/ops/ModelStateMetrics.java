package dev.sluice.ops;

import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.ControlPlane;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.telemetry.exposition.MetricSource;
import dev.sluice.telemetry.exposition.MetricsPage;
import dev.sluice.telemetry.exposition.MetricsPage.Family;
import dev.sluice.telemetry.exposition.MetricsPage.Kind;
import java.util.List;
import java.util.Locale;

/**
 * Exports the states of the models and of the server as metrics.
 *
 * @param control source of the states
 */
public record ModelStateMetrics(ControlPlane control) implements MetricSource {
  @Override
  public void write(MetricsPage page) {
    Family states =
        page.family(
            "sluice_model_state",
            Kind.GAUGE,
            "1 for the state that a version is in; failed for one that did not load.");
    for (String model : control.models()) {
      for (VersionStatus version : control.versions(model).orElse(List.of())) {
        states.add(
            1,
            "model",
            model,
            "version",
            Long.toString(version.version()),
            "state",
            state(version));
      }
    }
    page.single("sluice_ready", Kind.GAUGE, "Whether it is ready.", control.ready() ? 1 : 0);
    page.single("sluice_online", Kind.GAUGE, "Whether it is online.", control.online() ? 1 : 0);
  }

  /** Tells a version that did not load from one that another has replaced. */
  private static String state(VersionStatus version) {
    return version.state() == VersionState.END && version.error().isPresent()
        ? "failed"
        : version.state().name().toLowerCase(Locale.ROOT);
  }
}
