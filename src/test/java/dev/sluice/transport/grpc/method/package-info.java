/** Tests of gRPC methods and their operations. */
@NullMarked
package dev.sluice.transport.grpc.method;

import org.jspecify.annotations.NullMarked;
