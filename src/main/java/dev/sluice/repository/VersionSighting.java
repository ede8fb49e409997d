package dev.sluice.repository;

import java.nio.file.Path;

/**
 * One version as it lies on disk.
 *
 * @param folder holds its files; the model's own folder if they lie directly in it
 * @param whole whether there is a model in it, as far as names tell
 * @param files all files of this version
 */
record VersionSighting(long version, Path folder, boolean whole, Fingerprint files) {}
