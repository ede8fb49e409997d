/**
 * Tokens of a model's texts, asked for without an answer of the model. Read {@code ModelTokenizer}.
 *
 * <p>Threads: any; immutable.
 */
@NullMarked
package dev.sluice.inference.tokens;

import org.jspecify.annotations.NullMarked;
