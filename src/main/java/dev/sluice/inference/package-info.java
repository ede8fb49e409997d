/**
 * The words that protocols, schedulers and runtimes share, and the two interfaces of the server,
 * data plane and control plane. Start at {@link dev.sluice.inference.DataPlane}.
 *
 * <p>Threads: both interfaces are used from event loops and answer there; everything else is
 * immutable, or says which thread owns it.
 *
 * <p>Units: deadlines are {@link System#nanoTime} values, versions are plain numbers.
 */
@NullMarked
package dev.sluice.inference;

import org.jspecify.annotations.NullMarked;
