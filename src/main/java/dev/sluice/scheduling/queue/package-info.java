/**
 * In which order requests run. Start at {@link dev.sluice.scheduling.queue.ModelQueue}.
 *
 * <p>Parts: {@link ModelQueue} is bounded and has {@link PriorityLevel}s; {@link PendingRequest} is
 * one entry, linked through itself in {@link PendingRequests}. {@link CancellableQueue} removes
 * abandoned requests at once. A {@link Recipient} gets the result: {@link SingleResponse} for unary
 * calls, a {@link CacheHolder} is a stream. {@link CacheBudget} is the memory for their caches,
 * {@link Preemption} takes it from streams of lower levels.
 *
 * <p>Happens-before: an event loop enqueues its request before it reads the waiting worker; a
 * worker publishes itself before it polls for arrivals and parks. One of the two sees the other, so
 * no request is left without a worker.
 *
 * <p>Idempotent: completing, cancelling and expiring a request; the first of them decides.
 *
 * <p>Threads: event loops see only {@link dev.sluice.scheduling.queue.QueueIntake}; taking is for
 * the model's workers, or who takes their place, one at a time, holding the queue.
 *
 * <p>Units: sizes count requests; rows count dimension 0; times are nanoseconds of {@link
 * System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.queue;

import org.jspecify.annotations.NullMarked;
