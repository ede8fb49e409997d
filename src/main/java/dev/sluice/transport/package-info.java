/**
 * Sockets and framing; knows no protocol. One listener speaks HTTP/1.1, HTTP/2 and gRPC on one port
 * and hands each request to the protocol handler that claimed its path. Start at {@link
 * dev.sluice.transport.ListenerVerticle}; what a protocol handler sees of a request is {@link
 * dev.sluice.transport.Exchange}.
 *
 * <p>Parts: {@link dev.sluice.transport.connection} counts connections and what their requests may
 * hold, {@link dev.sluice.transport.netty} has the handlers in the pipelines of Netty, {@code
 * http}, {@code grpc} and {@code brpc} the exchanges. {@link StreamPump} sends streams with
 * backpressure.
 *
 * <p>Backpressure: a connection is not read while its requests hold all the memory they may, nor
 * while its client does not read its answers.
 *
 * <p>Threads: everything runs on the event loop that accepted the connection, apart from work given
 * to {@link dev.sluice.transport.Exchange#compute}.
 *
 * <p>Memory: bodies are arrays, but for large ones with raw tensors, which are collected in native
 * memory as they arrive: see {@link dev.sluice.transport.Body}.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport;

import org.jspecify.annotations.NullMarked;
