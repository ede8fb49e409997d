/**
 * Answers that come in pieces. Start at {@link dev.sluice.scheduling.stream.StreamScheduler};
 * {@link dev.sluice.scheduling.stream.QueuedStream} is how one goes on, {@link
 * dev.sluice.scheduling.stream.StreamSteps} what it consists of.
 *
 * <p>Parts: {@link StreamPlan} starts the {@link StreamSteps} of a request: {@link RowGroups} for
 * many rows, {@link SingleStep} for one response. {@link StreamAdmission} bounds the streams of a
 * model. {@link SingleResponseStreams} adapts models that answer once.
 *
 * <p>Backpressure: a stream without demand is parked: it holds its inputs and state, but no thread
 * and no place in the queue. New demand puts it back, on the subscriber's event loop.
 *
 * <p>Preemption: a stream gives the memory of its caches up between two steps, when one of a higher
 * priority needs it, and computes them again later.
 *
 * <p>Idempotent: cancelling a stream. A cancelled or expired stream frees its memory when the run
 * in flight has ended.
 *
 * <p>Threads: a stream begins and ends on the event loop that asked. In between it goes from one
 * worker of its model to the next, through the model's queue; no thread belongs to it, and a stream
 * whose reader is slow waits on none.
 *
 * <p>Units: demand counts responses; times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.stream;

import org.jspecify.annotations.NullMarked;
