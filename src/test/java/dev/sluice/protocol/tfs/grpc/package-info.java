/**
 * Tests of TensorFlow Serving over gRPC: the codec by itself and against the generated messages,
 * the faces over a fake data plane, and both over a real server. Start at {@link
 * dev.sluice.protocol.tfs.grpc.wire.TensorDecoderTest}.
 *
 * <p>Threads: the test's.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.tfs.grpc;

import org.jspecify.annotations.NullMarked;
