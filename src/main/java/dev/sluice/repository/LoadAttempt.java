package dev.sluice.repository;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.repository.scan.Fingerprint;
import dev.sluice.repository.scan.ScannedVersion;
import java.nio.file.Path;
import java.util.List;

/**
 * The files and settings that a version was, or is to be, loaded from. Loading it again from the
 * same makes no sense.
 *
 * @param settings without those that change no loaded model
 * @param members what an ensemble is composed of; empty for others
 */
record LoadAttempt(
    Path folder, Fingerprint files, ModelConfig settings, List<EnsembleMember> members) {
  /** Returns whether this differs from the other in nothing but what the files are now. */
  boolean differsOnlyInFiles(LoadAttempt other) {
    return folder.equals(other.folder)
        && settings.equals(other.settings)
        && members.equals(other.members);
  }

  static LoadAttempt of(ScannedVersion scanned, ModelConfig config, List<EnsembleMember> members) {
    return new LoadAttempt(scanned.folder(), scanned.files(), config.ofLoadedModel(), members);
  }
}
