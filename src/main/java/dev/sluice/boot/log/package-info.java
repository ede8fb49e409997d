/**
 * Logging: layouts, levels, standard error and the lines of the native runtimes. Start at {@link
 * dev.sluice.boot.log.LogSetup}.
 *
 * <p>Threads: set up on the main thread; layouts and filters run on the thread that logs.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.boot.log;

import org.jspecify.annotations.NullMarked;
