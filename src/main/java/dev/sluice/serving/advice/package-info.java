/**
 * Advice of {@code sluice check}: batch sizes, measured. Start at {@link
 * dev.sluice.serving.advice.BatchingAdvice}.
 *
 * <p>Threads: the thread of the command.
 *
 * <p>Units: times are nanoseconds.
 */
@NullMarked
package dev.sluice.serving.advice;

import org.jspecify.annotations.NullMarked;
