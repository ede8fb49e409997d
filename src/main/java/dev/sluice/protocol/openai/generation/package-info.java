/**
 * What the calls of OpenAI's interface have in common: reading a body, the conversation in it and
 * the parameters of generated text, asking a generator, and the form of failures.
 *
 * <p>Parts: {@link GenerationReader} reads a body, {@link ChatConversation} the members that make
 * the prompt of a conversation, {@link ChoiceRequests} makes requests of it, {@link ChoiceAnswers}
 * asks the model, {@link GeneratorOutputs} are what it answers. {@link OpenAiError} has the form of
 * failures, {@link PostRoute} answers one kind of call.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded on a worker, one thread at
 * a time.
 */
@NullMarked
package dev.sluice.protocol.openai.generation;

import org.jspecify.annotations.NullMarked;
