/**
 * Settings: records with units in their types, checked when they are read. Start at {@link
 * dev.sluice.config.SluiceConfig}; {@code model.yml} is {@link
 * dev.sluice.config.model.ModelConfig}.
 *
 * <p>A setting is read once, by the record that holds it: the record's fields are the reference of
 * names, units and defaults. An unknown key is an error that suggests the nearest known one.
 * Environment variables and flags override the file, key by key.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config;

import org.jspecify.annotations.NullMarked;
