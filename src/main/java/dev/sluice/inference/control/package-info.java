/**
 * The control plane: the model repository as callers see it. Start at {@link
 * dev.sluice.inference.control.ControlPlane}.
 *
 * <p>Parts: a {@link dev.sluice.inference.control.ModelLoad} and a {@link
 * dev.sluice.inference.control.DesiredModel} say what is to be served, {@link
 * dev.sluice.inference.control.VersionStatus} and {@link dev.sluice.inference.control.LoadFailure}
 * what is. {@link dev.sluice.inference.control.LogControl} reads and changes what is logged. {@link
 * dev.sluice.inference.control.RecordedRequests} warm a version up before it takes others.
 *
 * <p>Threads: the interfaces are used from event loops, do not block and answer there; everything
 * else is immutable.
 *
 * <p>Units: versions are plain numbers.
 */
@NullMarked
package dev.sluice.inference.control;

import org.jspecify.annotations.NullMarked;
