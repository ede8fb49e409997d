/**
 * Models that are plugins: their requests, streams and HTTP calls. Start at {@link
 * dev.sluice.serving.plugin.PluginVersion}.
 *
 * <p>Threads: event loops hand over to the threads of the plugin; answers return to the event loop
 * of the caller.
 *
 * <p>Units: times are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.serving.plugin;

import org.jspecify.annotations.NullMarked;
