/**
 * Takes a model whose runs hang or fail out of service, and puts it back. Start at {@link
 * dev.sluice.scheduling.breaker.CircuitBreaker}.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.breaker;

import org.jspecify.annotations.NullMarked;
