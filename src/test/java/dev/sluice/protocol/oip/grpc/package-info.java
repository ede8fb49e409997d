/** Tests of the Open Inference Protocol's decoder and encoder for gRPC, without a server. */
@NullMarked
package dev.sluice.protocol.oip.grpc;

import org.jspecify.annotations.NullMarked;
