/**
 * The Open Inference Protocol (V2), as far as HTTP and gRPC share it: what a request must look
 * like, in the words that Triton refuses it with, and what models say of themselves. Start at
 * {@link dev.sluice.protocol.oip.OipRequestChecks}.
 *
 * <p>Parts: {@link OipModels} acquires the lease of the model that is asked for, {@link InputHead}
 * and {@link Dimensions} hold what a request declares, {@link RawInputs} its binary data. {@link
 * SharedMemoryRegions} are the system shared memory extension: a tensor in a registered region is
 * read and written there, zero-copy. {@link Statistics}, {@link TraceSettings} and {@link
 * LogSettings} are further extensions of Triton.
 *
 * <p>Errors: the words are Triton's, since clients match them; the codes are the server's own,
 * mapped once per transport.
 *
 * <p>Idempotent: unregistering a region that is not registered, unloading a model that is not
 * loaded.
 *
 * <p>Threads: any; nothing here blocks or keeps state between requests.
 *
 * <p>Units: sizes are bytes, shapes are elements, the wire's timeouts are microseconds.
 */
@NullMarked
package dev.sluice.protocol.oip;

import org.jspecify.annotations.NullMarked;
