/**
 * TensorFlow Serving's exchanges, replayed to a whole server with real models. Start at {@link
 * dev.sluice.conformance.tfs.ConformanceIT}.
 *
 * <p>Threads: each test's own.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.conformance.tfs;

import org.jspecify.annotations.NullMarked;
