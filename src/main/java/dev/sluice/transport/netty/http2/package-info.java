/**
 * The handlers that the server puts into Netty's part of an HTTP/2 connection: flow control by
 * consumed bytes, limits of frames and streams, the memory of streams and heads, graceful shutdown.
 * Start at {@link dev.sluice.transport.netty.http2.Http2Heads}, on which most of them are built.
 *
 * <p>Threads: everything runs on the event loop of its connection.
 *
 * <p>Units: sizes are bytes, times nanoseconds.
 */
@NullMarked
package dev.sluice.transport.netty.http2;

import org.jspecify.annotations.NullMarked;
