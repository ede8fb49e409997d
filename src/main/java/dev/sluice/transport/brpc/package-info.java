/**
 * brpc's own protocol, baidu_std: frames of a head, a small message about the call, and the call's
 * message. Methods are those of the gRPC handlers, since the messages are the same; only the way
 * they travel is another. Start at {@link dev.sluice.transport.brpc.BrpcDispatcher}.
 *
 * <p>Calls of a connection are answered in whatever order they are done. Nothing is read while too
 * many are under way, or while the client does not take its answers.
 *
 * <p>Parts: {@link FrameReader} cuts a connection into frames, {@link RpcMeta} is the head of one,
 * {@link BrpcCall} a call, {@link BrpcReply} its answer. {@link BrpcError} is the table from error
 * codes to brpc's, on which clients decide whether to retry.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.brpc;

import org.jspecify.annotations.NullMarked;
