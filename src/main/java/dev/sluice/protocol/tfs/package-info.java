/**
 * What TensorFlow Serving's REST and gRPC forms share: asking a model about examples, to classify
 * or to regress them. Start at {@link dev.sluice.protocol.tfs.ExampleTasks}.
 *
 * <p>A SavedModel takes serialised examples as they are. For other formats the features of the
 * examples become the inputs of the same names ({@link dev.sluice.protocol.tfs.FeatureColumns}),
 * and the outputs that are labels and scores are recognised by their names ({@link
 * dev.sluice.protocol.tfs.NamedOutputs}).
 *
 * <p>Parts: {@link ClassificationHead} and {@link RegressionHead} read results from outputs, {@link
 * SavedModelHeads} finds them by TensorFlow Serving's rules. {@link
 * dev.sluice.protocol.tfs.json.TensorProtoJson} and {@link
 * dev.sluice.protocol.tfs.json.TensorInfoJson} write protobuf's JSON form. {@link
 * dev.sluice.protocol.tfs.requestlog.RequestLogs} samples calls into TFRecord files.
 *
 * <p>Errors: checks come in TensorFlow Serving's order and with its texts, which clients and tests
 * match.
 *
 * <p>Threads: any, one at a time for each object. Nothing here blocks.
 *
 * <p>Units: positions and sizes are bytes; rows are examples.
 */
@NullMarked
package dev.sluice.protocol.tfs;

import org.jspecify.annotations.NullMarked;
