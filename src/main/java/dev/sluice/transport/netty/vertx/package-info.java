/**
 * Small types over Vert.x that other packages need: event loops behind contexts, the bytes behind
 * buffers, the context of a connection, backpressure of responses. Start at {@link
 * dev.sluice.transport.netty.vertx.EventLoops}.
 *
 * <p>The package uses nothing of the server; {@code boot} passes on to schedulers what they need of
 * it.
 *
 * <p>Threads: each method says which.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.transport.netty.vertx;

import org.jspecify.annotations.NullMarked;
