/**
 * The crossroads: every step of a request has its name here, and each step's package knows nothing
 * of the others. Start at {@link dev.sluice.serving.InferencePipeline}.
 *
 * <p>Threads: the pipeline runs on event loops, {@link dev.sluice.serving.ModelWorkerVerticle} on
 * the model's workers, loading on loading workers.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.serving;

import org.jspecify.annotations.NullMarked;
