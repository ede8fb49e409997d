/**
 * grps over HTTP: everything below {@code /grps/v1}. Start at {@link
 * dev.sluice.protocol.grps.http.GrpsHttpHandler}.
 *
 * <p>Threads: the event loop of the connection; large bodies are decoded and encoded on a worker.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.grps.http;

import org.jspecify.annotations.NullMarked;
