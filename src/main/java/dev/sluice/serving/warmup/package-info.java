/**
 * Warm-up: recorded and made-up requests that a version answers before it is ready. Start at {@link
 * dev.sluice.serving.warmup.WarmUp}.
 *
 * <p>Threads: loading workers.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.serving.warmup;

import org.jspecify.annotations.NullMarked;
