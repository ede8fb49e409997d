/**
 * Inputs that a generation loop makes for each step: the {@link
 * dev.sluice.scheduling.generator.input.AttentionMask}, which gets longer by a one with each token,
 * and {@link dev.sluice.scheduling.generator.input.PositionIds}, which say where in its sequence a
 * row is. {@link dev.sluice.scheduling.generator.input.TokenHistory} is what it began with once
 * more, and all that was chosen since.
 *
 * <p>Threads: one at a time. Tensors that a step returns belong to its caller.
 */
@NullMarked
package dev.sluice.scheduling.generator.input;

import org.jspecify.annotations.NullMarked;
