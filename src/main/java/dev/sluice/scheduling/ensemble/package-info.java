/**
 * Models that are composed of others. Start at {@link
 * dev.sluice.scheduling.ensemble.EnsembleScheduler}; {@link
 * dev.sluice.scheduling.ensemble.EnsembleGraph} says which tensors lead where.
 *
 * <p>Parts: {@link EnsembleGraphBuilder} checks the settings against the members' metadata and
 * makes an {@link EnsembleGraph}; {@link EnsembleRun} takes one request through it, {@link
 * EnsembleStream} one stream. Where a member is a plugin that takes any tensors, {@link
 * SequentialEnsembleScheduler} passes whole messages from model to model; {@link
 * SequentialTensorMapping} finds the tensors that lead from step to step where the settings do not
 * name them.
 *
 * <p>Memory: a tensor is handed to the step that takes it last and viewed by the others, so
 * composing copies nothing.
 *
 * <p>Backpressure: a streaming member makes a response only while the reader of the ensemble has
 * demand. Cancelling the request cancels what its members run.
 *
 * <p>Errors: a failure names the ensemble, the step and its model; its code is that of the member.
 *
 * <p>Threads: a request's steps are begun and ended on the event loop that asked. No thread waits
 * for a step, so that a member may have a single worker and ensembles may contain ensembles.
 *
 * <p>Units: steps are counted from 1 in texts; tensors are numbered from 0.
 */
@NullMarked
package dev.sluice.scheduling.ensemble;

import org.jspecify.annotations.NullMarked;
