/**
 * HTTP/1.1 and HTTP/2 requests as protocol handlers see them: bodies within limits, content
 * codings, request ids, and one table of statuses. Start at {@link
 * dev.sluice.transport.http.HttpProtocolHandler}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.http;

import org.jspecify.annotations.NullMarked;
