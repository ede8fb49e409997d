/**
 * Calls for embeddings and scores of texts, in the forms of OpenAI and Cohere. Start at {@link
 * dev.sluice.protocol.openai.encoder.EncoderHttpHandler}.
 *
 * <p>Threads: a call is answered on its event loop; large bodies are read and written on a worker.
 *
 * <p>Memory: texts are tensors from where they are read on.
 */
@NullMarked
package dev.sluice.protocol.openai.encoder;

import org.jspecify.annotations.NullMarked;
