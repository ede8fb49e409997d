package dev.sluice.repository;

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
record ModelSighting(Path folder, Fingerprint settings, SortedMap<Long, VersionSighting> versions) {
  ModelSighting {
    versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
  }

  /** The same model if no version needs files, as none of an ensemble does. */
  ModelSighting withoutFiles() {
    SortedMap<Long, VersionSighting> all = new TreeMap<>();
    versions.forEach((number, seen) ->
        all.put(number, new VersionSighting(number, seen.folder(), true, Fingerprint.NONE)));
    if (all.isEmpty()) {
      all.put(1L, new VersionSighting(1, folder, true, Fingerprint.NONE));
    }
    return new ModelSighting(folder, settings, all);
  }
}
