/**
 * Runs ONNX models with ONNX Runtime, through its C API. Start at {@link
 * dev.sluice.runtime.onnx.OnnxSession}.
 *
 * <p>Parts: {@link OnnxRuntimeProvider} opens, {@link OnnxRun} runs, {@link PinnedOutputs} places
 * outputs in memory of the server (zero-copy where {@link OutputShapeCache} knows their shapes and
 * operators of {@code graph} write all of it), {@link OnnxStrings} and {@link ScoreMaps} convert
 * what has no plain memory. {@link SharedArena} is the one allocator of all sessions, with a limit.
 * {@link OrtApi} is the table of the C API.
 *
 * <p>Errors: {@link RunFailure} classifies what the runtime reports: rejected inputs, output memory
 * that does not fit, a lack of memory, or an operator that failed.
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
