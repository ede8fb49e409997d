/**
 * Plugins in Java, from jars beside the models. Start at {@link
 * dev.sluice.runtime.plugin.PluginCode}: a version's classes and the threads that run them; {@link
 * dev.sluice.runtime.plugin.PluginCall} is one call with its time limit.
 *
 * <p>Threads: loading blocks. Calls are begun and given up by any thread, and run on those of
 * {@link dev.sluice.runtime.plugin.PluginThreads}. No Vert.x here.
 *
 * <p>Units: deadlines are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.runtime.plugin;

import org.jspecify.annotations.NullMarked;
