/**
 * Joins waiting requests into batches that a model runs at once, and cuts its answers apart again.
 * Start at {@link dev.sluice.scheduling.batching.DynamicBatcher}, which decides with whom; {@link
 * dev.sluice.scheduling.batching.BatchRunner} runs what it decided.
 *
 * <p>Threads: event loops tell of what has arrived; everything else is for the model's workers. One
 * batcher for a model, one runner for each worker.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}; sizes are rows, the first dimension
 * of every input.
 */
@NullMarked
package dev.sluice.scheduling.batching;

import org.jspecify.annotations.NullMarked;
