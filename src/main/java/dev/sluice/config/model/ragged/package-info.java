/**
 * Settings of requests whose rows differ in length. Start at {@link
 * dev.sluice.config.model.ragged.RaggedConfig}.
 *
 * <p>Threads: any; immutable.
 *
 * <p>Units: lengths are elements.
 */
@NullMarked
package dev.sluice.config.model.ragged;

import org.jspecify.annotations.NullMarked;
