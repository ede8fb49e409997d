/**
 * The Open Inference Protocol (V2) over HTTP: JSON, and the binary tensor data extension. Start at
 * {@link dev.sluice.protocol.oip.http.OipHttpHandler}.
 *
 * <p>Parts: {@link OipPath} parses paths, {@link InferDecoder} and {@link InferEncoder} handle
 * inference, {@link BinaryHeader} and {@link RawRequest} the binary tensor data extension. {@link
 * GenerateRoute} is Triton's generate extension, with {@link
 * dev.sluice.transport.http.ServerSentEvents} for streams.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded and encoded on a worker,
 * one thread at a time.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.oip.http;

import org.jspecify.annotations.NullMarked;
