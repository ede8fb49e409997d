package dev.sluice.serving;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.ModelConfiguration;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.serving.explain.ExplainPlan;
import dev.sluice.telemetry.meter.VersionMeter;

/**
 * The components of a loaded version besides those that run it.
 *
 * @param metadata the metadata that callers get
 * @param configuration the same in Triton's form
 * @param admission where requests enter, before they are decoded
 * @param explaining how its answers are explained
 * @param meter counts its requests and runs
 */
record VersionComponents(
    ModelMetadata metadata,
    ModelConfiguration configuration,
    AdmissionController admission,
    ExplainPlan explaining,
    VersionMeter meter) {
  /** Makes the components of a version that explains its answers by itself. */
  static VersionComponents of(
      ModelMetadata metadata,
      ModelConfig config,
      AdmissionController admission,
      VersionMeter meter) {
    return new VersionComponents(
        metadata,
        new TritonConfiguration(meter.model().name(), metadata, config),
        admission,
        ExplainPlan.load(config.explain(), config.queue().priorityLevels()),
        meter);
  }

  /** Returns a copy with other metadata. */
  VersionComponents withMetadata(ModelMetadata other) {
    return new VersionComponents(other, configuration, admission, explaining, meter);
  }
}
