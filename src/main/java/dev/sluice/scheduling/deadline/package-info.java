/**
 * What happens when the time of a request is up. Start at {@link
 * dev.sluice.scheduling.deadline.DeadlineWheels}.
 *
 * <p>Parts: a {@link DeadlineEntry} is linked into the {@link DeadlineWheel} of its event loop: to
 * watch a request allocates nothing, to end the watch is constant time. The wheel is turned by one
 * timer, and only while it holds entries. Resolution is a few milliseconds: a deadline is a promise
 * to answer, not to stop at the microsecond.
 *
 * <p>Threads: each event loop has a wheel of its own, which it alone turns.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.deadline;

import org.jspecify.annotations.NullMarked;
