/**
 * Streams between a model and their reader: counted, and ended exactly once. Start at {@link
 * dev.sluice.serving.stream.ResponseStream}, the state machine of a stream.
 *
 * <p>Threads: the event loop of the reader; a stream may be given up from any thread.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.serving.stream;

import org.jspecify.annotations.NullMarked;
