/**
 * Requests that belong together: they run one after another on the same instance, and what some
 * outputs of a run are is what some inputs of the next one are. Start at {@link
 * dev.sluice.scheduling.sequence.SequenceScheduler}.
 *
 * <p>Threads: event loops only. What sequences there are is guarded by a lock that is held for a
 * few comparisons; a sequence's state belongs to the thread that runs its one step.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.sequence;

import org.jspecify.annotations.NullMarked;
