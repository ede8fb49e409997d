/**
 * Answers that come in pieces. Start at {@link dev.sluice.scheduling.stream.StreamScheduler};
 * {@link dev.sluice.scheduling.stream.QueuedStream} is how one goes on, {@link
 * dev.sluice.scheduling.stream.StreamSteps} what it consists of.
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
