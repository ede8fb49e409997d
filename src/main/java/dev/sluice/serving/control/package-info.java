/**
 * Control of models: load and unload by name, overrides, uploaded files. Start at {@link
 * dev.sluice.serving.control.ModelControl}.
 *
 * <p>Threads: event loops; files are written on loading workers.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.serving.control;

import org.jspecify.annotations.NullMarked;
