/**
 * Runs ONNX models with ONNX Runtime, through its C API. Start at {@link
 * dev.sluice.runtime.onnx.OnnxSession}.
 *
 * <p>Threads: a session is used by one worker at a time; the runtime's environment is shared by the
 * whole process. Objects of the C API are held by their addresses, as {@code long}s, and freed by
 * the class that made them.
 *
 * <p>Units: sizes are bytes, shapes are elements.
 */
@NullMarked
package dev.sluice.runtime.onnx;

import org.jspecify.annotations.NullMarked;
