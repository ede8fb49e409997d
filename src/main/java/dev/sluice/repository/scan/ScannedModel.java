package dev.sluice.repository.scan;

import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One model as it lies on disk.
 *
 * @param settings the model's settings file, if it has one
 * @param versions by number
 */
public record ScannedModel(
    Path folder, Fingerprint settings, SortedMap<Long, ScannedVersion> versions) {
  /** Copies the collections. */
  public ScannedModel {
    versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
  }

  /** Returns the same model if no version needs files, as none of an ensemble does. */
  ScannedModel withoutFiles() {
    SortedMap<Long, ScannedVersion> all = new TreeMap<>();
    versions.forEach((number, seen) ->
        all.put(number, new ScannedVersion(number, seen.folder(), true, Fingerprint.NONE)));
    if (all.isEmpty()) {
      all.put(1L, new ScannedVersion(1, folder, true, Fingerprint.NONE));
    }
    return new ScannedModel(folder, settings, all);
  }
}
