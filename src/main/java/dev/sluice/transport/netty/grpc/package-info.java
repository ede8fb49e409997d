/**
 * Requests for the gRPC library's own services, wrapped before the library reads them. Start at
 * {@link dev.sluice.transport.netty.grpc.LenientGrpcRequest}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.netty.grpc;

import org.jspecify.annotations.NullMarked;
