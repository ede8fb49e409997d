/**
 * Explains a model's answers by asking it about changed rows: Shapley values, sampled by
 * permutations in antithetic pairs. Start at {@link dev.sluice.serving.explain.ShapleyRun}.
 *
 * <p>Threads: the event loop of the request. No thread waits: rows go to the model in small chunks,
 * one chunk at a time.
 *
 * <p>Units: rows are dimension 0; an element is one number of a row, counted in the row's order.
 */
@NullMarked
package dev.sluice.serving.explain;

import org.jspecify.annotations.NullMarked;
