/**
 * Explanations of responses: how much each element of an instance contributed. Start at {@link
 * dev.sluice.inference.explain.Explainer}.
 *
 * <p>Memory: parameters own their baseline; an explanation belongs to its caller, who closes it.
 *
 * <p>Threads: event loops; the explainer's work runs elsewhere.
 *
 * <p>Units: contributions have the unit of the explained output.
 */
@NullMarked
package dev.sluice.inference.explain;

import org.jspecify.annotations.NullMarked;
