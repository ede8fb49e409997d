/**
 * The words that protocols, schedulers and runtimes share, and the two interfaces of the server,
 * data plane and control plane. Start at {@link dev.sluice.inference.DataPlane}.
 *
 * <p>Parts:
 *
 * <ul>
 *   <li>a request: {@link InferenceRequest} owns its input tensors and its {@link ModelLease}, and
 *       answers with an {@link InferenceResponse}, or with several in a stream;
 *   <li>a model: {@link ModelSelector} is what a caller asks for, {@link ModelLookup} what that
 *       leads to, {@link ModelId} one version, {@link ModelMetadata} and {@link Signature} what it
 *       takes and gives;
 *   <li>the repository as callers see it: {@link ControlPlane} with {@link ModelLoad}, {@link
 *       DesiredModel}, {@link VersionStatus} and {@link LoadFailure};
 *   <li>access: a {@link Caller} has {@link Role}s, a role includes {@link Operation}s; the handler
 *       of a protocol asks, {@code security} decides;
 *   <li>errors: an {@link InferenceException} has an {@link ErrorCode}, and that a fault: client
 *       error, server error or resource exhaustion. No protocol's numbers appear here;
 *   <li>the process: {@link OutOfMemory} ends it, {@link Liveness} reports whether it should be
 *       restarted.
 * </ul>
 *
 * <p>Memory: {@link DataPlane#infer} takes a request over, on success and on failure; the caller
 * owns the response and closes it. Each type says what it owns.
 *
 * <p>Backpressure: a stream of responses follows {@link java.util.concurrent.Flow}: its subscriber
 * requests as many responses as it has demand for, and the model works no further than that.
 *
 * <p>Threads: both interfaces are used from event loops and answer there; everything else is
 * immutable, or says which thread owns it.
 *
 * <p>Units: deadlines are {@link System#nanoTime} values, versions are plain numbers.
 */
@NullMarked
package dev.sluice.inference;

import org.jspecify.annotations.NullMarked;
