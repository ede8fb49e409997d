/**
 * OpenAI's interface of responses, as Open Responses describes it: a list of items in, a response
 * with items out, whole or as typed events. The server keeps none of it.
 *
 * <p>Read {@link dev.sluice.protocol.openai.responses.ResponsesRoute} first. {@link ResponseReader}
 * reads a body, {@link ResponseItems} its items as the messages of a conversation, {@link
 * ResponseSettings} what the answer repeats. {@link ResponseAnswer} collects what the model says,
 * {@link ResponseWriter} writes the response, {@link ResponseEvents} its events.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded on a worker, one thread at
 * a time.
 */
@NullMarked
package dev.sluice.protocol.openai.responses;

import org.jspecify.annotations.NullMarked;
