/**
 * The interface that clients of OpenAI's language models speak, over HTTP: JSON, and server-sent
 * events for streams. Start at {@link dev.sluice.protocol.openai.http.OpenAiHttpHandler}.
 *
 * <p>Parts: {@link OpenAiPath} parses paths, {@link CompletionReader} and {@link ChatReader} read a
 * request, {@link CompletionRoute} asks the model, {@link CompletionWriter} writes its answer. A
 * conversation goes to the model as JSON, which its chat template makes a prompt of (package {@code
 * text}). What other calls of the interface need too is in the package {@code generation}, and tool
 * calls in what a model writes are found by the package {@code tools}.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded on a worker, one thread at
 * a time.
 */
@NullMarked
package dev.sluice.protocol.openai.http;

import org.jspecify.annotations.NullMarked;
