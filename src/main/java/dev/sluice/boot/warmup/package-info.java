/**
 * The requests that a server sends itself before it is ready, in the bytes that clients send. Start
 * at {@link dev.sluice.boot.warmup.WarmUpCalls}.
 *
 * <p>Threads: all of them block, and run on a thread of their own.
 */
@NullMarked
package dev.sluice.boot.warmup;

import org.jspecify.annotations.NullMarked;
