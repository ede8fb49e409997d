/**
 * The handlers that the server puts into the pipelines of Netty and Vert.x, of every connection and
 * of HTTP/1.1, and the port unification before them. Vert.x promises none of the parts into which
 * they are hooked: {@link dev.sluice.transport.netty.ConnectionInternals}, which is to be read
 * first, refuses a version that it does not know.
 *
 * <p>{@link ProtocolDetector} chooses the protocol of a connection by its first bytes. {@link
 * ConnectionGuard} holds its time limits. {@link FlushCoalescing} joins the writes of one turn of
 * the event loop into one flush. {@link Http1Drain} tells clients of HTTP/1.1 that their connection
 * ends.
 *
 * <p>Threads: everything runs on the event loop of its connection.
 *
 * <p>Units: sizes are bytes, times nanoseconds.
 */
@NullMarked
package dev.sluice.transport.netty;

import org.jspecify.annotations.NullMarked;
