/**
 * gRPC services and calls as protocol handlers see them. Start at {@link
 * dev.sluice.transport.grpc.method.GrpcProtocolHandler}.
 *
 * <p>Parts: a {@link dev.sluice.transport.grpc.method.GrpcMethod} answers one message with one, a
 * {@link dev.sluice.transport.grpc.method.GrpcStreamMethod} answers message by message; {@link
 * dev.sluice.transport.grpc.method.AuthorizedMethod} is a method with the operation that its caller
 * needs a right to.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: none.
 */
@NullMarked
package dev.sluice.transport.grpc.method;

import org.jspecify.annotations.NullMarked;
