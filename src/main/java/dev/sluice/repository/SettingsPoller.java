package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.control.VersionStatus.Failure;
import dev.sluice.repository.scan.Fingerprint;
import dev.sluice.repository.scan.ScannedModel;
import java.nio.file.Path;

/**
 * The settings of one model, read again when their file has changed and then stood still between
 * two looks. Used by the scanning thread only.
 */
final class SettingsPoller {
  /** The result of reading the settings. */
  sealed interface Reading {
    record Good(ModelConfig config) implements Reading {}

    record Broken(Failure why) implements Reading {}
  }

  private final ModelSettings settings;
  private final Path folder;
  private Fingerprint seen;
  private Fingerprint read;
  private Reading reading;

  /** Reads the settings for the first time, at once. */
  SettingsPoller(ModelSettings settings, ScannedModel first) {
    this.settings = settings;
    this.folder = first.folder();
    this.seen = first.settings();
    this.read = seen;
    this.reading = read(settings, first);
  }

  /** Returns whether this is the folder whose settings are watched. */
  boolean watches(ScannedModel now) {
    return folder.equals(now.folder());
  }

  Reading poll(ScannedModel now) {
    boolean steady = now.settings().equals(seen);
    seen = now.settings();
    if (steady && !seen.equals(read)) {
      read = seen;
      reading = read(settings, now);
    }
    return reading;
  }

  private static Reading read(ModelSettings settings, ScannedModel model) {
    try {
      return new Reading.Good(settings.read(model.folder()));
    } catch (RuntimeException e) {
      return new Reading.Broken(LoadFailureTexts.of(e));
    }
  }
}
