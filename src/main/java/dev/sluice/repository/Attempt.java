package dev.sluice.repository;

import dev.sluice.config.ModelConfig;

/**
 * What a version was, or is to be, loaded from. Loading it again from the same makes no sense.
 *
 * @param settings without those that change no loaded model: which versions to serve, and labels
 */
record Attempt(Fingerprint files, ModelConfig settings) {
  static Attempt of(VersionSighting sighting, ModelConfig config) {
    return new Attempt(
        sighting.files(),
        new ModelConfig(
            ModelConfig.DEFAULT.versionPolicy(),
            ModelConfig.DEFAULT.labels(),
            config.batching(),
            config.queue(),
            config.instances(),
            config.admission(),
            config.warmup(),
            config.runtimes()));
  }
}
