package dev.sluice.serving.worker;

import dev.sluice.scheduling.batching.BatchRules;
import dev.sluice.scheduling.batching.DynamicBatcher;
import dev.sluice.scheduling.breaker.CircuitBreaker;
import java.util.function.LongSupplier;

/**
 * State that the workers of one model share.
 *
 * @param batcher gives them their batches
 * @param rules which requests join
 * @param breaker learns how runs end
 * @param wakeOne sends another worker to the queue, if one is free
 * @param inlineLimit how long a run may take that an event loop does
 * @param recovery which sessions are lost
 * @param policy learns how long runs take
 * @param nanoTime the clock of waiting and deadlines
 */
public record ModelWorkerState(
    DynamicBatcher batcher,
    BatchRules rules,
    CircuitBreaker breaker,
    Runnable wakeOne,
    InlineLimit inlineLimit,
    ModelRecovery recovery,
    ConcurrencyPolicy policy,
    LongSupplier nanoTime) {}
