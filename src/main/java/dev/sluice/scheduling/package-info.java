/**
 * Between a decoded request and the model: who waits, in which order, for how long, and who runs
 * together. Start at {@link dev.sluice.scheduling.Scheduler}; {@link
 * dev.sluice.scheduling.BatchExecutor} is where the model is.
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
