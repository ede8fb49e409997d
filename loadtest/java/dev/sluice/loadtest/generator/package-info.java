/**
 * The load generators and what they say. Start at {@link dev.sluice.loadtest.generator.Generators}.
 *
 * <p>Threads: a round blocks the thread that asked for it.
 *
 * <p>Units: rates are per second, latencies are microseconds.
 */
@NullMarked
package dev.sluice.loadtest.generator;

import org.jspecify.annotations.NullMarked;
