/**
 * Loading a version: from its folder and settings to something that serves. Start at {@link
 * dev.sluice.serving.loading.ServableLoader}.
 *
 * <p>Threads: loading workers.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.serving.loading;

import org.jspecify.annotations.NullMarked;
