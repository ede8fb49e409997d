/**
 * Liveness of the process: {@link dev.sluice.inference.health.Liveness} reports whether it should
 * be restarted, {@link dev.sluice.inference.health.OutOfMemory} ends it. Start at {@link
 * dev.sluice.inference.health.Liveness}.
 *
 * <p>Threads: any.
 *
 * <p>Units: none but the exit code {@value dev.sluice.inference.health.OutOfMemory#EXIT_CODE}.
 */
@NullMarked
package dev.sluice.inference.health;

import org.jspecify.annotations.NullMarked;
