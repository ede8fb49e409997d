/**
 * Between a decoded request and the model: who waits, in which order, for how long. Start at {@link
 * dev.sluice.scheduling.Scheduler}.
 *
 * <p>Threads: event loops submit, the model's workers take. Nothing here blocks, and no thread
 * belongs to this package.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}; sizes count requests.
 */
@NullMarked
package dev.sluice.scheduling;

import org.jspecify.annotations.NullMarked;
