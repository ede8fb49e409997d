/**
 * Plugins in Java, from jars beside the models. Start at {@link
 * dev.sluice.runtime.plugin.PluginCode}: a version's classes and the threads that run them; {@link
 * dev.sluice.runtime.plugin.PluginCall} is one call with its time limit.
 *
 * <p>Parts: {@link PluginCode} opens the services of a jar with an {@link ApiClassLoader}. {@link
 * PluginCall} is one call: begun by an event loop, run on {@link PluginThreads}, ended by its
 * result, its time limit or a cancellation, whichever is first. {@link PluginValues} copies tensors
 * to and from {@link dev.sluice.extension.Value}s.
 *
 * <p>Idempotent: cancelling a call, closing a version's plugins.
 *
 * <p>Errors: what a plugin throws becomes an {@link dev.sluice.inference.InferenceException} by
 * {@link PluginFailure}.
 *
 * <p>Threads: loading blocks. Calls are begun and given up by any thread, and run on those of
 * {@link dev.sluice.runtime.plugin.PluginThreads}. No Vert.x here.
 *
 * <p>Units: deadlines are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.runtime.plugin;

import org.jspecify.annotations.NullMarked;
