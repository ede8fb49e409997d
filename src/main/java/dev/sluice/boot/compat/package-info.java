/**
 * Compatibility configuration by command line: the flags of TensorFlow Serving and Triton as
 * settings of this server. Start at {@link dev.sluice.boot.compat.CompatFlags}.
 *
 * <p>Threads: the main thread; what is read is immutable.
 *
 * <p>Units: as in the flags: seconds, milliseconds, microseconds or bytes, by their names.
 */
@NullMarked
package dev.sluice.boot.compat;

import org.jspecify.annotations.NullMarked;
