/**
 * Models that are composed of others. Start at {@link
 * dev.sluice.scheduling.ensemble.EnsembleScheduler}; {@link
 * dev.sluice.scheduling.ensemble.EnsembleGraph} says which tensors lead where.
 *
 * <p>Threads: a request's steps are begun and ended on the event loop that asked. No thread waits
 * for a step, so that a member may have a single worker and ensembles may contain ensembles.
 *
 * <p>Units: steps are counted from 1 in texts; tensors are numbered from 0.
 */
@NullMarked
package dev.sluice.scheduling.ensemble;

import org.jspecify.annotations.NullMarked;
