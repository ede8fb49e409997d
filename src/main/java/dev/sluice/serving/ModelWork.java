package dev.sluice.serving;

import dev.sluice.scheduling.batching.BatchRules;
import dev.sluice.scheduling.batching.DynamicBatcher;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What the workers of one model share.
 *
 * @param batcher gives them their batches
 * @param rules which requests join
 * @param ticker looks after deadlines while they run
 * @param wakeOne sends another worker to the queue, if one is free
 * @param inlineLimit how long a run may take that an event loop does; zero: none does any
 * @param nanoTime the clock of waiting and deadlines
 */
record ModelWork(
    DynamicBatcher batcher,
    BatchRules rules,
    DeadlineTicker ticker,
    Runnable wakeOne,
    Duration inlineLimit,
    LongSupplier nanoTime) {}
