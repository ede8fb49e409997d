/**
 * The paths below {@code /v1} that TensorFlow Serving and KServe V1 share, and what their predict
 * requests and answers have in common: JSON rows and columns to and from tensors. Start at {@link
 * dev.sluice.protocol.v1.http.V1Routes}.
 *
 * <p>Parts: {@link V1Grammar} parses paths into {@link V1Request}s; a {@link V1Dialect} is what
 * TensorFlow Serving or KServe adds. {@link PlainRows} decodes the usual body in one pass, {@link
 * PredictDocument} all others. {@link PredictEncoder} writes. {@link Explain} is KServe's explain
 * call.
 *
 * <p>Errors: each dialect words its own.
 *
 * <p>Threads: the event loop of the connection; large bodies are read and written on a worker.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.v1.http;

import org.jspecify.annotations.NullMarked;
