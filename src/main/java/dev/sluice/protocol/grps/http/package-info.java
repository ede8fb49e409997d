/**
 * grps over HTTP: everything below {@code /grps/v1}. Start at {@link
 * dev.sluice.protocol.grps.http.GrpsHttpHandler}.
 *
 * <p>Parts: {@link JsonMessage} finds the members of a request, {@link GtensorsReader}, {@link
 * NdArrayReader} and {@link GmapReader} read its data, {@link MessageJson} and {@link TensorJson}
 * write. {@link StreamedResponse} writes chunks with backpressure. {@link CustomRoute} passes
 * requests to the model's plugin.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded and encoded on a worker.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.grps.http;

import org.jspecify.annotations.NullMarked;
