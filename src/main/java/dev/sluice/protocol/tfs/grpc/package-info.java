/**
 * TensorFlow Serving over gRPC. Start at {@link
 * dev.sluice.protocol.tfs.grpc.TfsPredictionServiceHandler}.
 *
 * <p>Predict is read and written by hand, between the message's bytes and tensor memory, with one
 * copy where the bytes lie alike; the rare calls use the generated messages.
 *
 * <p>Parts: {@link PredictRequestView} and {@link TensorScanner} find what a request says, {@link
 * TfsRequestChecks} compares it with the signature, {@link TensorDecoder} copies the values. {@link
 * PredictResponseWriter} measures and writes. {@link ExamplesMethod} answers Classify, Regress and
 * MultiInference, {@link ReloadMethod} sets the desired state of the repository.
 *
 * <p>Errors: in TensorFlow Serving's order and words; {@link TfsModels} words those of finding a
 * model.
 *
 * <p>Threads: the event loop of the call, or a worker where {@link dev.sluice.transport.Exchange}
 * decides so by the size. Nothing here is shared but what never changes.
 *
 * <p>Units: sizes and positions are bytes, counts are elements.
 */
@NullMarked
package dev.sluice.protocol.tfs.grpc;

import org.jspecify.annotations.NullMarked;
