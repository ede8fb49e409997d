/**
 * The plug-in point for model formats. Start at {@link dev.sluice.runtime.RuntimeProvider}; a
 * format is a sub-package that implements it and {@link dev.sluice.runtime.ModelSession}.
 *
 * <p>Parts: {@link RuntimeProvider} recognises and opens the files of a {@link ModelSource}. {@link
 * ModelSession} runs them. {@link ForwardingSession} is the base of decorators: {@link
 * LimitedSession} bounds outputs, {@link ReshapedSession} maps shapes, {@link CacheBranchSession}
 * chooses the branch of a merged decoder. {@link NativeLibrary}, {@link NativeFunction} and {@link
 * NativeMemory} bind C libraries.
 *
 * <p>Memory: inputs stay the caller's during a run; outputs belong to the caller from its return
 * on. A session is closed when no run is in flight.
 *
 * <p>Errors: an {@link dev.sluice.inference.InferenceException} with INVALID_ARGUMENT for inputs
 * that the model rejects and INTERNAL for a run that fails; CANCELLED if it was interrupted.
 *
 * <p>Threads: sessions block, and run on worker threads only. No Vert.x here.
 */
@NullMarked
package dev.sluice.runtime;

import org.jspecify.annotations.NullMarked;
