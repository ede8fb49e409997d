/** Tests of grps over gRPC, without a server. */
@NullMarked
package dev.sluice.protocol.grps.grpc;

import org.jspecify.annotations.NullMarked;
