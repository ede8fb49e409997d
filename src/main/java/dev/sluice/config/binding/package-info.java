/**
 * Reading: a tree of settings becomes records, with units, names that were meant, and errors that
 * name file and setting; protobuf text format is read here too. Start at {@link
 * dev.sluice.config.binding.Section}.
 *
 * <p>Threads: readers belong to the thread that reads; what they return is immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.binding;

import org.jspecify.annotations.NullMarked;
