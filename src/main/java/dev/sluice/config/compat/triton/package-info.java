/**
 * Compatibility configuration of Triton: {@code config.pbtxt} and its JSON form, as settings of a
 * model. Start at {@link dev.sluice.config.compat.triton.TritonModelConfig}.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: as in the files: microseconds and nanoseconds become {@link java.time.Duration}.
 */
@NullMarked
package dev.sluice.config.compat.triton;

import org.jspecify.annotations.NullMarked;
