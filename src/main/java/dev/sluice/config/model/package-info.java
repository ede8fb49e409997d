/**
 * Settings of a model: {@code model.yml} and the defaults that it overrides. Start at {@link
 * dev.sluice.config.model.ModelConfig}.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.model;

import org.jspecify.annotations.NullMarked;
