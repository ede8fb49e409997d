/**
 * The workers that own a model: runs, inline execution, recovery of sessions, completion on the
 * event loop of the caller. Start at {@link dev.sluice.serving.worker.ModelWorkerVerticle}.
 *
 * <p>Threads: the model's workers; completion on event loops.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.serving.worker;

import org.jspecify.annotations.NullMarked;
