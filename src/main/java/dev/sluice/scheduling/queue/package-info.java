/**
 * In which order requests run. Start at {@link dev.sluice.scheduling.queue.ModelQueue}.
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
