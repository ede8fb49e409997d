/**
 * HTTP/1.1 and HTTP/2 requests as protocol handlers see them: bodies within limits, content
 * codings, request ids, and one table of statuses. Start at {@link
 * dev.sluice.transport.http.HttpProtocolHandler}.
 *
 * <p>Parts: {@link HttpDispatcher} finds the handler of a path, {@link HttpExchange} is one
 * request. {@link BodyReader} collects a body within its limits, {@link ZeroCopyBodyChunks} takes
 * large ones from the socket's own buffers. {@link ResponseCoding} compresses, {@link Cors} answers
 * preflight requests, {@link HttpStatus} is the table from error codes to statuses.
 *
 * <p>Errors: one answer for each request, in the words of the protocol handler that owns the path;
 * what no handler owns is 404 here.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.http;

import org.jspecify.annotations.NullMarked;
