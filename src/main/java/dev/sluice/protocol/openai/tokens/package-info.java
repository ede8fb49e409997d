/**
 * Tokens of texts and conversations, and texts of tokens, without an answer of the model.
 *
 * <p>Read {@code TokenRoute} first. Threads: event loops; workers tokenize.
 */
@NullMarked
package dev.sluice.protocol.openai.tokens;

import org.jspecify.annotations.NullMarked;
