/**
 * The Open Inference Protocol (V2), as far as HTTP and gRPC share it: what a request must look
 * like, in the words that Triton refuses it with, and what models say of themselves. Start at
 * {@link dev.sluice.protocol.oip.OipRequestChecks}.
 *
 * <p>Threads: any; nothing here blocks or keeps state between requests.
 *
 * <p>Units: sizes are bytes, shapes are elements, the wire's timeouts are microseconds.
 */
@NullMarked
package dev.sluice.protocol.oip;

import org.jspecify.annotations.NullMarked;
