/**
 * What happens when the time of a request is up. Start at {@link
 * dev.sluice.scheduling.deadline.DeadlineWheels}.
 *
 * <p>Threads: each event loop has a wheel of its own, which it alone turns.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.deadline;

import org.jspecify.annotations.NullMarked;
