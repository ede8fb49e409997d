/**
 * Rate limiter: instances of models wait for resources that they share with other models. Start at
 * {@link dev.sluice.scheduling.ratelimit.RateLimiter}.
 *
 * <p>Parts: a worker acquires an {@link InstancePermit} before a run and releases it afterwards.
 * Resources are shared by all models of the server; of several waiting instances the one with the
 * fewest weighted runs goes first, as in Triton.
 *
 * <p>Units: resources are counts without a unit, as in {@code instance_group.rate_limiter}.
 *
 * <p>Threads: workers wait here, never event loops.
 */
@NullMarked
package dev.sluice.scheduling.ratelimit;

import org.jspecify.annotations.NullMarked;
