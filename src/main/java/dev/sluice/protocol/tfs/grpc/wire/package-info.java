/**
 * TensorFlow Serving's messages as bytes: fields read where they lie and written with their sizes
 * known before. Start at {@link dev.sluice.protocol.tfs.grpc.wire.TensorScanner}.
 *
 * <p>Threads: event loops, and workers for large messages; no state is shared.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.tfs.grpc.wire;

import org.jspecify.annotations.NullMarked;
