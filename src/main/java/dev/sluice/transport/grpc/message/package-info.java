/**
 * Messages of gRPC calls, cut out of the bodies that carry them. Start at {@link
 * dev.sluice.transport.grpc.message.MessageBody}, the one message of a unary call; {@link
 * dev.sluice.transport.grpc.message.MessageSplitter} cuts the body of a stream into its messages,
 * and {@link dev.sluice.transport.grpc.message.GrpcMessageReader} undoes their compression.
 *
 * <p>Memory: bytes are charged to the call before they are collected; a message for which there is
 * no memory waits, and nothing is read of it meanwhile, which is the backpressure towards its
 * client.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.grpc.message;

import org.jspecify.annotations.NullMarked;
