/**
 * gRPC calls as faces see them: whole messages within limits, statuses, deadlines from the wire.
 * The framing is ours, on Vert.x's HTTP/2, because the library's own copies each message and leaves
 * bad ones unanswered. Start at {@link dev.sluice.transport.grpc.GrpcFace}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.grpc;

import org.jspecify.annotations.NullMarked;
