/**
 * What starts, drains and stops, in which order: the one place that knows everything. Start at
 * {@link dev.sluice.boot.SluiceServer}.
 *
 * <p>Threads: the main thread, and Vert.x's where it says so.
 */
@NullMarked
package dev.sluice.boot;

import org.jspecify.annotations.NullMarked;
