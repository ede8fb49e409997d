/**
 * Model folders, versions, labels and hot reload. Start at {@link
 * dev.sluice.repository.ModelRepository}.
 *
 * <p>Reconciliation: versions have a desired state and an actual state: {@link
 * dev.sluice.repository.scan.VersionScanner} says what lies on disk, {@link
 * dev.sluice.repository.scan.StableVersions} what of it stands still, {@link
 * dev.sluice.repository.VersionPolicy} what should be served, and {@link
 * dev.sluice.repository.TrackedModel} which steps lead there. The repository performs the steps and
 * publishes an immutable {@link dev.sluice.repository.RepositorySnapshot} after each change.
 *
 * <p>Parts: {@link RepositoryPoller} polls the folders, {@link
 * dev.sluice.repository.scan.ModelFolder} and {@link dev.sluice.repository.scan.Fingerprint} tell
 * whether files have changed, {@link LoadAttempt} is what a load was made from. {@link
 * TrackedVersion} is the state machine of a version, whose transitions {@link VersionTransitions}
 * checks. A {@link LiveVersion} is a loaded version with its leases: a reference count that keeps
 * it open until the last request is done. {@link AvailableModels} finds models that callers load by
 * name.
 *
 * <p>Graceful: a version that is replaced keeps its requests in flight; it is closed on a worker
 * when its last lease is released. A setting decides whether the new version loads before the old
 * one is unloaded.
 *
 * <p>Idempotent: polling unchanged folders, loading what is served already, unloading what is not
 * served.
 *
 * <p>Errors: a version that fails to load is reported with its reason and retried as the settings
 * say; what was served before goes on being served.
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
