/**
 * Joins waiting requests into batches that a model runs at once, and cuts its answers apart again.
 * Start at {@link dev.sluice.scheduling.batching.DynamicBatcher}, which decides with whom; {@link
 * dev.sluice.scheduling.batching.BatchRunner} runs what it decided.
 *
 * <p>Parts: {@link BatchRules} decides whether two requests may share a batch, {@link
 * BatchAssembler} copies their inputs behind one another, {@link BatchSplitter} slices the outputs
 * without a copy, {@link RowPadding} pads rows of different size where the settings allow it.
 * {@link BatchDecision} and {@link BatchDelay} say when a batch is dispatched. {@link
 * RunCancellation} ends a run in flight once all its requests are abandoned.
 *
 * <p>Memory: a batch owns its inputs; each response owns its slice of the outputs, and the last one
 * to be closed frees them.
 *
 * <p>Errors: if a joined run fails, its requests are run again one by one where that can help, so
 * that one bad request does not fail its neighbours.
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
