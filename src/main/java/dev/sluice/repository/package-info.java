/**
 * Model folders, versions, labels and hot reload. Start at {@link
 * dev.sluice.repository.ModelRepository}.
 *
 * <p>Reconciliation: versions have a desired state and an actual state: {@link
 * dev.sluice.repository.VersionScanner} says what lies on disk, {@link
 * dev.sluice.repository.StableVersions} what of it stands still, {@link
 * dev.sluice.repository.VersionPolicy} what should be served, and {@link
 * dev.sluice.repository.TrackedModel} which steps lead there. The repository performs the steps and
 * publishes an immutable {@link dev.sluice.repository.RepositorySnapshot} after each change.
 *
 * <p>Threads: looking a model up reads one volatile field, on any thread. Scanning and loading
 * block, on workers. {@link dev.sluice.repository.TrackedModel} and {@link
 * dev.sluice.repository.TrackedVersion} are touched only under the repository's lock.
 *
 * <p>Units: versions are plain numbers, file times are {@link java.time.Instant}s.
 */
@NullMarked
package dev.sluice.repository;

import org.jspecify.annotations.NullMarked;
