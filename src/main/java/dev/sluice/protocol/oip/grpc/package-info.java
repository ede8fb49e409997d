/**
 * The Open Inference Protocol (V2) over gRPC. Start at {@link
 * dev.sluice.protocol.oip.grpc.OipGrpcHandler}.
 *
 * <p>Requests for inference are read, and answers written, in the bytes of their messages: tensors
 * are copied once between message and native memory, and no message objects are made for them. All
 * other calls go through generated messages.
 *
 * <p>Parts: {@link InferRequestReader} decodes, {@link InferResponseWriter} encodes. {@link
 * InferStream} is a {@code ModelStreamInfer} call with its {@link StreamedRequest}s; responses of
 * models that answer once keep the order of requests.
 *
 * <p>Backpressure: responses are computed only as fast as the client reads.
 *
 * <p>Threads: the event loop of the connection; large messages are decoded and encoded on a worker,
 * one thread at a time.
 *
 * <p>Units: sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.oip.grpc;

import org.jspecify.annotations.NullMarked;
