/**
 * Constraints on generated text: a regular expression, a JSON schema or functions to call say which
 * texts there may be, and after each token which tokens may follow. Start at {@link
 * dev.sluice.text.constraint.Constraints}.
 *
 * <p>Parts: {@link RegexParser}, {@link JsonSchemaCompiler} and {@link ToolCallCompiler} make an
 * automaton of code points, which {@link Languages} keeps small; {@link Constraint} is the same
 * over bytes, deterministic, and finds the tokens that may follow a state by walking the vocabulary
 * in the order of its bytes ({@link TokenOrder}); {@link ConstrainedText} is one text on its way
 * through it: from its beginning to its end ({@link WholeText}), or wherever it has a call of a
 * strict function ({@link TextWithCalls}), whose beginning {@link CallHeads} finds.
 *
 * <p>Errors: what is not supported or too large is INVALID_ARGUMENT and names the part.
 *
 * <p>Memory: on the heap, bounded for each model, whatever its streams ask for.
 *
 * <p>Threads: compiling takes up to some hundred milliseconds and is for worker threads. Compiled
 * constraints are shared by streams; a text belongs to one thread at a time.
 */
@NullMarked
package dev.sluice.text.constraint;

import org.jspecify.annotations.NullMarked;
