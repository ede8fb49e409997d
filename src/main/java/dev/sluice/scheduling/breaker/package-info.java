/**
 * Takes a model whose runs hang or fail out of service, and puts it back. Start at {@link
 * dev.sluice.scheduling.breaker.CircuitBreaker}.
 *
 * <p>States: closed (requests are admitted), open (they are rejected with UNAVAILABLE), half open
 * (one request probes whether the model works again). Metrics and readiness report the state.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.breaker;

import org.jspecify.annotations.NullMarked;
