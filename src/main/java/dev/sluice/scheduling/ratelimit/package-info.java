/**
 * Rate limiter: instances of models wait for resources that they share with other models. Start at
 * {@link dev.sluice.scheduling.ratelimit.RateLimiter}.
 *
 * <p>Threads: workers wait here, never event loops.
 */
@NullMarked
package dev.sluice.scheduling.ratelimit;

import org.jspecify.annotations.NullMarked;
