/**
 * Compatibility configuration of TensorFlow Serving: the files that its flags name, as settings.
 * Start at {@link dev.sluice.config.compat.tfs.TensorflowModelFile}.
 *
 * <p>Parts: {@link TensorflowModelFile} lists models, {@link TensorflowBatchingFile} sets dynamic
 * batching, {@link TensorflowMonitoringFile} the metrics path, {@link TensorflowSslFile} the
 * encryption of the gRPC port. All are protobuf's text format.
 *
 * <p>Threads: read once at start-up or when a model is found; immutable.
 *
 * <p>Units: as in the files: microseconds become {@link java.time.Duration}.
 */
@NullMarked
package dev.sluice.config.compat.tfs;

import org.jspecify.annotations.NullMarked;
