/**
 * Runs SavedModels with TensorFlow, through its C API. Start at {@link
 * dev.sluice.runtime.tensorflow.TensorflowSession}.
 *
 * <p>Threads: a session is used by one worker at a time. Objects of the C API are held by their
 * addresses, as {@code long}s, and freed by the class that made them. A run cannot be interrupted.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.runtime.tensorflow;

import org.jspecify.annotations.NullMarked;
