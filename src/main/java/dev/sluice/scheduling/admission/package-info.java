/**
 * Whether a request may enter, asked before anything is spent on it. Start at {@link
 * dev.sluice.scheduling.admission.ConcurrencyLimiter}; how many may enter is {@link
 * dev.sluice.scheduling.admission.ConcurrencyLimit}.
 *
 * <p>Parts: {@link ConcurrencyLimiter} admits or rejects; a request that is inside holds a permit.
 * It counts requests in flight against a {@link ConcurrencyLimit}: {@link FixedLimit} is a number
 * of the settings, {@link QueueTimeLimit} follows the queue time that the settings want. {@link
 * CallerShares} keeps one caller from holding all permits.
 *
 * <p>Rejection is the cheapest answer of the server: no body has been decoded and no tensor
 * allocated. It carries a time to retry, which a protocol handler sends as {@code Retry-After} or
 * {@code grpc-retry-pushback-ms}.
 *
 * <p>Threads: any. No locks; one counter is shared by the event loops.
 *
 * <p>Units: limits count requests that have entered and not left; times are nanoseconds of {@link
 * System#nanoTime}.
 */
@NullMarked
package dev.sluice.scheduling.admission;

import org.jspecify.annotations.NullMarked;
