/**
 * Own code in Java, from jars beside the models. Start at {@link dev.sluice.runtime.jar.OwnCode}: a
 * version's classes and the threads that run them; {@link dev.sluice.runtime.jar.CodeCall} is one
 * call with its time limit.
 *
 * <p>Threads: loading blocks. Calls are begun and given up by any thread, and run on those of
 * {@link dev.sluice.runtime.jar.CodeThreads}. No Vert.x here.
 *
 * <p>Units: deadlines are nanoseconds of {@link System#nanoTime}.
 */
@NullMarked
package dev.sluice.runtime.jar;

import org.jspecify.annotations.NullMarked;
