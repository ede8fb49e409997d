/**
 * Settings of a model: {@code model.yml} and the defaults that it overrides. Start at {@link
 * dev.sluice.config.model.ModelConfig}.
 *
 * <p>Parts: {@link ModelConfig} is a model's {@code model.yml}; {@link BatchingConfig} is dynamic
 * batching with its batch delay, {@link QueueConfig} the queue, {@link StreamConfig} and {@link
 * GeneratorConfig} streams and generation loops, {@link SequenceConfig} sequences, {@link
 * EnsembleConfig} ensembles.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.model;

import org.jspecify.annotations.NullMarked;
