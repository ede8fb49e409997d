/**
 * Settings: records with units in their types, checked when they are read. Start at {@link
 * dev.sluice.config.SluiceConfig}; {@code model.yml} is {@link
 * dev.sluice.config.model.ModelConfig}.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config;

import org.jspecify.annotations.NullMarked;
