/**
 * The types that protocols, schedulers and runtimes share, and the data plane. Start at {@link
 * dev.sluice.inference.DataPlane}.
 *
 * <p>Parts:
 *
 * <ul>
 *   <li>a request: {@link InferenceRequest} owns its input tensors and its {@link ModelLease}, and
 *       answers with an {@link InferenceResponse}, or with several in a stream;
 *   <li>a model: {@link ModelSelector} is what a caller asks for, {@link ModelLookup} what that
 *       leads to, {@link ModelId} one version, {@link ModelMetadata} and {@link Signature} what it
 *       takes and gives;
 *   <li>errors: an {@link InferenceException} has an {@link ErrorCode}, and that a fault: client
 *       error, server error or resource exhaustion. No protocol's numbers appear here.
 * </ul>
 *
 * <p>Packages below: {@code control} has the control plane and the states of versions, {@code
 * access} the callers and their rights, {@code explain} the explanations of responses, {@code
 * health} the liveness of the process.
 *
 * <p>Memory: {@link DataPlane#infer} takes a request over, on success and on failure; the caller
 * owns the response and closes it. Each type says what it owns.
 *
 * <p>Backpressure: a stream of responses follows {@link java.util.concurrent.Flow}: its subscriber
 * requests as many responses as it has demand for, and the model works no further than that.
 *
 * <p>Threads: the data plane is used from event loops and answers there; everything else is
 * immutable, or says which thread owns it.
 *
 * <p>Units: deadlines are {@link System#nanoTime} values, versions are plain numbers.
 */
@NullMarked
package dev.sluice.inference;

import org.jspecify.annotations.NullMarked;
