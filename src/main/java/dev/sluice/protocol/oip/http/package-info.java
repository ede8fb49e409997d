/**
 * The Open Inference Protocol (V2) over HTTP: JSON, and the binary tensor data extension. Start at
 * {@link dev.sluice.protocol.oip.http.OipHttpHandler}.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded and encoded on a worker,
 * one thread at a time.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.oip.http;

import org.jspecify.annotations.NullMarked;
