/**
 * The plug-in point for model formats. Start at {@link dev.sluice.runtime.RuntimeProvider}; a
 * format is a sub-package that implements it and {@link dev.sluice.runtime.ModelSession}.
 *
 * <p>Threads: sessions block, and run on worker threads only. No Vert.x here.
 */
@NullMarked
package dev.sluice.runtime;

import org.jspecify.annotations.NullMarked;
