/**
 * Whether a request may enter, asked before anything is spent on it. Start at {@link
 * dev.sluice.scheduling.admission.ConcurrencyLimiter}; how many may enter is {@link
 * dev.sluice.scheduling.admission.ConcurrencyLimit}.
 *
 * <p>Threads: any. No locks; one counter is shared by the event loops.
 *
 * <p>Units: limits count requests that have entered and not left; times are nanoseconds of {@link
 * System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.admission;

import org.jspecify.annotations.NullMarked;
