/**
 * Explains a model's answers by asking it about changed rows: Shapley values, sampled by
 * permutations in antithetic pairs. Start at {@link dev.sluice.serving.explain.ShapleyRun}.
 *
 * <p>Parts: {@link ExplainPlan} holds the settings, {@link BaselineRows} what an absent element is
 * replaced by. A {@link PermutationPair} walks from the baseline to the instance in one order and
 * back in the other, {@link PathPredictionRows} are the rows on that way. {@link RunningMean} gives
 * each score and its standard error.
 *
 * <p>Errors: what cannot be explained, or would cost more model runs than the settings allow, is
 * rejected before the first run.
 *
 * <p>Threads: the event loop of the request. No thread waits: rows go to the model in small chunks,
 * one chunk at a time.
 *
 * <p>Units: rows are dimension 0; an element is one number of a row, counted in the row's order.
 */
@NullMarked
package dev.sluice.serving.explain;

import org.jspecify.annotations.NullMarked;
