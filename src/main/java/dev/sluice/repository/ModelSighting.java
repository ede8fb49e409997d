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
}
