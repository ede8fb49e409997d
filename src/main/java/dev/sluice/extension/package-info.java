/**
 * What a plugin in Java is written against: a jar beside the model holds classes that implement
 * {@link dev.sluice.extension.Model}, {@link dev.sluice.extension.StreamingModel}, {@link
 * dev.sluice.extension.Converter} or {@link dev.sluice.extension.HttpHandler}, and names them as
 * services ({@link java.util.ServiceLoader}). Start at {@link dev.sluice.extension.Model}; a {@link
 * dev.sluice.extension.BatchModel} takes several requests at once.
 *
 * <p>Threads: a plugin runs on threads of its own, never on an event loop, so it may block. Its
 * object is made once for each loaded version; every interface says how many threads call it at
 * once. The time limit {@code java.timeout} holds for each call; beyond it the caller gets an error
 * and the thread is interrupted. Code that does not heed that goes on in vain, beside a new thread;
 * after eight such calls the model refuses further ones.
 *
 * <p>Memory: {@link dev.sluice.extension.Value}s are ordinary objects on the heap. Nothing here has
 * to be closed.
 *
 * <p>Errors: {@link dev.sluice.extension.Refusal} says what is wrong and of which kind it is. The
 * text of any other exception goes to the caller too, as a failure of the model; its stack trace
 * goes to the log only.
 *
 * <p>Classes: a version's jars have a class loader of their own, which sees the JDK, this package
 * and {@code dev.sluice.tensor}, and none of the server's libraries. A jar brings its own.
 */
@NullMarked
package dev.sluice.extension;

import org.jspecify.annotations.NullMarked;
