/**
 * Model folders as they lie on disk: models, versions, and whether their files have changed. Start
 * at {@link dev.sluice.repository.scan.VersionScanner}.
 *
 * <p>Parts: a {@link dev.sluice.repository.scan.ModelFolder} has {@link
 * dev.sluice.repository.scan.ScannedVersion}s, a {@link dev.sluice.repository.scan.Fingerprint}
 * tells whether files are the same as before, and {@link dev.sluice.repository.scan.StableVersions}
 * keeps back those that are still being written.
 *
 * <p>Threads: scanning blocks, on workers; results are immutable but for the stable versions, which
 * their repository's lock guards.
 *
 * <p>Units: versions are plain numbers, sizes are bytes, file times are {@link java.time.Instant}s.
 */
@NullMarked
package dev.sluice.repository.scan;

import org.jspecify.annotations.NullMarked;
