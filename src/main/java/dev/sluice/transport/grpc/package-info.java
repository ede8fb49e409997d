/**
 * gRPC calls as protocol handlers see them: whole messages within limits, statuses, deadlines from
 * the wire. The framing is ours, because the library's own copies each message and leaves bad ones
 * unanswered. Start at {@link dev.sluice.transport.grpc.method.GrpcProtocolHandler}.
 *
 * <p>Two roads lead to a method. A plain call with one message each way is taken from the frames of
 * its HTTP/2 connection, before Vert.x makes a request of them; see {@code Http2Calls}. gRPC-Web
 * and streams come as Vert.x's requests.
 *
 * <p>Parts: {@link UnaryCall} and {@link StreamingCall} are the two kinds of calls, with {@link
 * GrpcExchange} in common; {@link MessageIntake} takes the messages of a stream. {@link Http2Call}
 * gives flow-control window back when bytes are consumed, which is the backpressure towards
 * clients. {@link StandardServices} are health and reflection.
 *
 * <p>Errors: {@link GrpcStatus} is the table from error codes to statuses; texts are
 * percent-encoded by {@link GrpcText}.
 *
 * <p>Threads: the event loop of the connection.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.transport.grpc;

import org.jspecify.annotations.NullMarked;
