/**
 * Reading: a tree of settings becomes records, with units, names that were meant, and errors that
 * name file and setting; protobuf text format is read here too. Start at {@link
 * dev.sluice.config.binding.Section}.
 *
 * <p>Parts: {@link Section} is a table of settings while it is read, {@link Setting} one value,
 * {@link Units} the texts of durations and sizes. {@link SettingsTree} remembers where each value
 * was set, so that every complaint names file, variable or flag. {@link ProtoFields} and {@link
 * TextProto} read protobuf's text format in the same way.
 *
 * <p>Errors: a {@link ConfigException} names the setting, what was found and what was wanted.
 *
 * <p>Threads: readers belong to the thread that reads; what they return is immutable.
 *
 * <p>Units: lengths of time are {@link java.time.Duration}, sizes are bytes.
 */
@NullMarked
package dev.sluice.config.binding;

import org.jspecify.annotations.NullMarked;
