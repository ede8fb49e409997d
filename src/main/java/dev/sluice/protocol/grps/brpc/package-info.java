/**
 * grps over brpc: {@code grps.protos.v1.GrpsBrpcService}. Its messages are those of gRPC, and so is
 * their codec: {@link dev.sluice.protocol.grps.grpc}.
 *
 * <p>Streams are not served over brpc: its streaming protocol is another one.
 *
 * <p>Threads: the event loop of the connection.
 */
@NullMarked
package dev.sluice.protocol.grps.brpc;

import org.jspecify.annotations.NullMarked;
