/**
 * grps over gRPC: {@code grps.protos.v1.GrpsService}. Start at {@link
 * dev.sluice.protocol.grps.grpc.GrpsGrpcHandler}. Predict is read from and written to bytes
 * directly, straight into tensors and out of them; the other calls use the generated messages.
 *
 * <p>Parts: {@link WireMessage}, {@link WireTensor} and {@link WireValues} read; {@link
 * GrpsMessageWriter} and {@link TensorWriter} write into one array of the exact size. {@link
 * PredictStreamMethod} and {@link StreamedMessages} answer streams with backpressure.
 *
 * <p>Threads: the event loop of the connection; large messages are decoded and encoded on a worker.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.grps.grpc;

import org.jspecify.annotations.NullMarked;
