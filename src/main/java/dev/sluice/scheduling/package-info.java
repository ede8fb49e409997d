/**
 * Between a decoded request and the model: who waits, in which order, for how long, and who runs
 * together. Start at {@link dev.sluice.scheduling.Scheduler}; {@link
 * dev.sluice.scheduling.BatchExecutor} is where the model is.
 *
 * <p>Sub-packages, in the order in which a request meets them:
 *
 * <ul>
 *   <li>{@code admission}: admission control, by a concurrency limit and by queue time;
 *   <li>{@code breaker}: the circuit breaker of a model whose runs fail or hang;
 *   <li>{@code caching}: the response cache;
 *   <li>{@code queue}: the bounded queue with priority levels and queue timeouts;
 *   <li>{@code batching}: dynamic batching, with a batch delay;
 *   <li>{@code ratelimit}: Triton's rate limiter;
 *   <li>{@code deadline}: deadlines, one timing wheel for each event loop;
 *   <li>{@code stream}, {@code sequence}, {@code ensemble}, {@code generator}: schedulers of models
 *       that answer by streams, keep a state between requests, are composed of others, or run in a
 *       loop.
 * </ul>
 *
 * <p>Errors: a rejected request fails with RESOURCE_EXHAUSTED or UNAVAILABLE and a time to retry,
 * an expired one with DEADLINE_EXCEEDED, a cancelled one with CANCELLED. A request is completed
 * once; later attempts do nothing.
 *
 * <p>Threads: event loops submit, the model's workers take and run. Nothing here blocks an event
 * loop, and no thread belongs to this package.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}; sizes count requests, rows count
 * dimension 0.
 */
@NullMarked
package dev.sluice.scheduling;

import org.jspecify.annotations.NullMarked;
