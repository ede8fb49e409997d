/**
 * In which order requests run. Start at {@link dev.sluice.scheduling.queue.ModelQueue}.
 *
 * <p>Threads: event loops see only {@link dev.sluice.scheduling.queue.QueueIntake}; taking is for
 * the model's workers.
 *
 * <p>Units: sizes count requests; times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.queue;

import org.jspecify.annotations.NullMarked;
