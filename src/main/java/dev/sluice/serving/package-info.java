/**
 * The steps of a request in their order: each step has a package, which does not import the others.
 * Start at {@link dev.sluice.serving.InferencePipeline}.
 *
 * <p>Parts: {@link AdmissionController} admits or rejects a request, {@link AdmittedLease} is its
 * lease on the model. {@link ServableLoader} opens a version; a {@link Servable} is one that is
 * open: {@link ServableModel}, {@link ServableEnsemble}, {@link ServablePlugin} or {@link
 * SequenceModel}. {@link InlineRunPolicy} decides whether a run may take place on the event loop
 * (inline execution), {@link CoalescedWakeUps} and {@link CallerCompletions} coalesce what crosses
 * between threads. {@link ModelControl} is the control plane: load, unload, desired state. {@link
 * ModelRecovery} reopens sessions whose process has ended.
 *
 * <p>Happens-before: a request is handed to a worker by the model's queue, its response to the
 * caller's event loop by that loop's task queue; the session itself is handed over by
 * compare-and-set.
 *
 * <p>Errors: every failure is an {@link dev.sluice.inference.InferenceException}; whatever is
 * thrown else is INTERNAL and logged once.
 *
 * <p>Threads: the pipeline runs on event loops, {@link
 * dev.sluice.serving.worker.ModelWorkerVerticle} on the model's workers, loading on loading
 * workers.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.serving;

import org.jspecify.annotations.NullMarked;
