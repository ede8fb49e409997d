/**
 * Tool calls: what a request says of the functions that a model may call, and the calls in the text
 * that a model generates. Start at {@link dev.sluice.protocol.openai.tools.Tools}.
 *
 * <p>Parts: {@link dev.sluice.protocol.openai.tools.Tools} makes the parameters for the model, a
 * constraint among them if a call is forced, and the {@link
 * dev.sluice.protocol.openai.tools.ToolCallParser} of an answer, which turns pieces of text into
 * {@link dev.sluice.protocol.openai.tools.ToolEvent}s. {@link CallReader} reads the JSON of a call.
 *
 * <p>Threads: a parser belongs to one at a time; all else is immutable.
 *
 * <p>Memory: a parser of a stream holds back 65,536 characters at most.
 */
@NullMarked
package dev.sluice.protocol.openai.tools;

import org.jspecify.annotations.NullMarked;
