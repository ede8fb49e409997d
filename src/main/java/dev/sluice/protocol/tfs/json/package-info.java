/**
 * TensorFlow's protobuf messages in protobuf's JSON form: {@link
 * dev.sluice.protocol.tfs.json.TensorInfoJson} writes signatures, {@link
 * dev.sluice.protocol.tfs.json.TensorProtoJson} tensors. Start at {@link
 * dev.sluice.protocol.tfs.json.TensorInfoJson}.
 *
 * <p>Threads: any, one at a time for each object. Nothing here blocks.
 *
 * <p>Units: positions and sizes are bytes.
 */
@NullMarked
package dev.sluice.protocol.tfs.json;

import org.jspecify.annotations.NullMarked;
