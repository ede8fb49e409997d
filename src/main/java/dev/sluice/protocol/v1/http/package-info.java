/**
 * The paths below {@code /v1} that TensorFlow Serving and KServe V1 share, and what their predict
 * requests and answers have in common: JSON rows and columns to and from tensors. Start at {@link
 * dev.sluice.protocol.v1.http.V1Routes}.
 *
 * <p>Threads: the event loop of the connection; large bodies are read and written on a worker.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.v1.http;

import org.jspecify.annotations.NullMarked;
